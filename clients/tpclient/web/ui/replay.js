// The closing of a turn, played on the board: pieces slide from where they were, gone ones fade, new ones grow, and
// places that look different keep a tint. The board itself shows the new position at once; what plays lies above it.

import { difference, positionOf } from "../core/changes.js";
import { s } from "./dom.js";
import { CELL } from "./layout.js";
import { frame } from "./lights.js";
import { isPiece, loneMarks } from "./marks.js";
import { drawn } from "./shapes.js";

/** Milliseconds: all of it, a slide, a fade, and when what is new begins to grow. */
const ALL = 1000;
const SLIDE = 700;
const FADE = 500;
const GROW_AT = 450;
/** More pieces than so many do not play; their places are tinted. */
const MOST_GHOSTS = 80;

const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
const around = (spot) => (spot.kind === "tray" ? frame(spot, spot.width - 3, spot.height - 3, 9) : frame(spot, spot.width - 3, spot.height - 3, 5));

export class Replay {
  #page;
  #ghosts = s("g", { class: "replay" });
  #tint = s("path", { class: "tint" });
  #places = new Set();
  /** The last position that was seen, and its turn. @type {import("../core/changes.js").Position|null} */
  #before = null;
  #turn = -1;
  /** @type {Animation[]} */
  #running = [];

  /** @param {Object} page `player`, `map`, `past` */
  constructor(page) {
    this.#page = page;
    page.map.overworld.prepend(this.#tint);
    page.map.overworld.append(this.#ghosts);
    page.map.addEventListener("drawn", () => this.#drawTint());
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => this.skip(), { capture: true, passive: true });
  }

  /** Another game: what it looks like is no change. */
  reset() {
    this.skip();
    this.#remember();
    this.tint(new Set());
  }

  /** Objects of the game have changed. @param {boolean} isBack whether we were away: then several turns are not played */
  changed(isBack = false) {
    const { map, past, player } = this.#page;
    const before = this.#before;
    const turns = player.turn - this.#turn;
    const now = past.isShown ? null : this.#remember();
    if (!before || !now || turns <= 0) return;
    const found = difference(before, now);
    this.skip();
    this.tint(found.places);
    if (!isCalm() && map.view === "normal" && !(isBack && turns > 1)) this.#play(found);
  }

  /** The board shows the game again, not an old turn. */
  back() {
    this.skip();
    this.#remember();
    this.tint(new Set());
  }

  #remember() {
    const { map, player } = this.#page;
    this.#before = map.map && positionOf(player.universe, map.map);
    this.#turn = player.turn;
    return this.#before;
  }

  /** Tint these places, and no others. @param {Set<number>} places */
  tint(places) {
    this.#places = places;
    this.#drawTint();
  }

  #drawTint() {
    const { map } = this.#page;
    const spots = [...this.#places].map((id) => map.spot(id)).filter(Boolean);
    this.#tint.setAttribute("d", spots.map(around).join(""));
    this.#tint.dataset.ids = [...this.#places].join(" ");
  }

  /** Show the end of what plays. */
  skip() {
    const running = this.#running;
    this.#running = [];
    for (const one of running) one.cancel();
    this.#ghosts.replaceChildren();
  }

  #play({ moved, gone, born }) {
    const { map, player } = this.#page;
    const { universe } = player;
    const slides = together(moved, ({ from, to }) => `${from} ${to}`).map(([{ from, to }, things]) => ({ from: map.spot(from), to: map.spot(to), things }));
    const fades = together(gone, ({ at }) => at).map(([{ at }, things]) => ({ to: map.spot(at), things }));
    const grows = together(born, ({ at }) => at).map(([{ at }, things]) => ({ to: map.spot(at), things }));
    if (slides.length + fades.length + grows.length > MOST_GHOSTS || moved.length + gone.length + born.length === 0) return;
    const put = ({ to, things }, call) => {
      for (const mark of to ? loneMarks(universe, things) : []) {
        const ghost = s("g", {}, drawn(mark));
        this.#ghosts.append(s("g", { transform: `translate(${to.x} ${to.y})` }, ghost));
        this.#running.push(call(ghost));
      }
    };
    for (const one of fades) put(one, (ghost) => ghost.animate([{ opacity: 1 }, { opacity: 0, transform: "scale(0.5)" }], { duration: FADE, fill: "both", easing: "ease-in" }));
    for (const one of grows) put(one, (ghost) => ghost.animate([{ opacity: 0, transform: "scale(0.2)" }, { opacity: 1, transform: "none" }], { delay: GROW_AT, duration: FADE, fill: "both", easing: "ease-out" }));
    for (const one of slides.filter(({ from }) => from)) {
      const { from, to } = one;
      put(one, (ghost) => ghost.animate([{ transform: `translate(${from.x - to?.x}px, ${from.y - to?.y}px)` }, { transform: "none" }], { duration: SLIDE, fill: "both", easing: "ease-in-out" }));
    }
    this.#hide(moved, born);
    const clock = this.#ghosts.animate({ opacity: [1, 1] }, ALL);
    clock.onfinish = () => this.skip();
    this.#running.push(clock);
  }

  /** Where all that stands has just come, the place is empty until it is there. */
  #hide(moved, born) {
    const { map } = this.#page;
    const came = new Set([...moved, ...born].map(({ thing }) => thing.id));
    for (const id of new Set([...moved.map(({ to }) => to), ...born.map(({ at }) => at)])) {
      const pieces = map.members(id).filter((thing) => isPiece(thing) && thing.id !== id);
      if (!pieces.length || !pieces.every((thing) => came.has(thing.id))) continue;
      const mark = map.markOf(id);
      if (mark) this.#running.push(mark.animate({ opacity: [0, 0, 1] }, { duration: ALL, easing: "linear" }));
    }
  }
}

/** Changes with the same key as one: the first of them, and all their pieces. */
function together(changes, keyOf) {
  const found = new Map();
  for (const one of changes) {
    const key = keyOf(one);
    if (!found.has(key)) found.set(key, [one, []]);
    found.get(key)[1].push(one.thing);
  }
  return [...found.values()];
}
