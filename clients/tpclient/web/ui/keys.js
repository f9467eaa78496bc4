// Keys that work everywhere except in text fields.

import { WORDS } from "../words.js";
import { tell } from "./toasts.js";

/** What a key without a letter is called on a keyboard with Latin letters, by its place. */
const PLACES = { Comma: ",", Period: ".", Minus: "-", Equal: "=", NumpadAdd: "+", NumpadSubtract: "-", Slash: "/" };

/**
 * The key that is meant: as it is written where that is Latin, else by its place on the keyboard, as on a Cyrillic one.
 * @param {KeyboardEvent} event @param {(key: string) => boolean} isKnown
 */
export function keyOf({ key, code, shiftKey }, isKnown) {
  const letter = key.length === 1 && !shiftKey ? key.toLowerCase() : key;
  if (isKnown(letter) || /^[a-z]$/i.test(key) || shiftKey) return letter;
  const [, name] = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code) ?? [];
  return name?.toLowerCase() ?? PLACES[code] ?? key;
}

/** @param {Object} page */
export function bindKeys(page) {
  const tabs = { 1: "selected", 2: "mine", 3: "story", 4: "messages", 5: "list" };
  /** What has a meaning in an old turn as well. */
  const anytime = new Set(["v", "m", ",", ".", "+", "=", "-", "0"]);
  const keys = {
    v: () => page.switchView(),
    f: () => page.goToFinish(),
    n: () => page.step(1),
    p: () => page.step(-1),
    o: () => page.orders(),
    m: () => document.getElementById("map").focus(),
    ",": () => page.past.step(-1),
    ".": () => page.past.step(1),
    "+": () => page.map.zoom(1.3),
    "=": () => page.map.zoom(1.3),
    "-": () => page.map.zoom(1 / 1.3),
    0: () => page.map.fit(),
    ArrowLeft: () => page.map.pan(80, 0),
    ArrowRight: () => page.map.pan(-80, 0),
    ArrowUp: () => page.map.pan(0, 80),
    ArrowDown: () => page.map.pan(0, -80),
  };
  // What is being composed, as Chinese is, is not sent by the key that ends it.
  document.addEventListener("keydown", (event) => {
    if (!event.isComposing && event.keyCode !== 229) return;
    event.stopImmediatePropagation();
    if (event.key === "Enter") event.preventDefault();
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (page.escape()) event.preventDefault();
      return;
    }
    const isTyping = event.target.closest?.("input:not([type=checkbox]), select, textarea");
    if (isTyping) return;
    const key = keyOf(event, (one) => one === "?" || one in tabs || one in keys);
    if (key === "?" || (event.code === "Slash" && event.shiftKey && !/[!-~]/.test(event.key))) page.help();
    else if (document.getElementById("game").hidden) return;
    else if (page.past.isShown && (tabs[key] || (keys[key] && !anytime.has(key) && !key.startsWith("Arrow")))) tell(WORDS.oldTurns.keys);
    else if (tabs[key]) page.showTab(tabs[key]);
    else if (key.startsWith("Arrow") && event.target !== document.body) return;
    else if (keys[key]) keys[key]();
    else return;
    event.preventDefault();
  });
}
