// The colors of the players: from the game, else from the style sheet.
// The style sheet has eight.

import { PLAYER_COLOURS } from "./marks.js";

/** Dark or light, whatever is told apart better on a colour (relative luminance, WCAG 2). */
export function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#101418" : "#ffffff";
}

/** Let the style sheet know the colours that this game declares. @param {import("../core/universe.js").Universe} universe */
export function applyColours({ players, appearance }) {
  const { style } = document.documentElement;
  const ids = [...players.keys()].sort((one, other) => one - other);
  for (let at = 0; at < PLAYER_COLOURS; at++) {
    const colour = appearance.players.get(ids[at]);
    for (const [name, value] of [[`--seat-${at}`, colour], [`--seat-ink-${at}`, colour && inkOn(colour)]]) {
      if (value) style.setProperty(name, value);
      else style.removeProperty(name);
    }
  }
}
