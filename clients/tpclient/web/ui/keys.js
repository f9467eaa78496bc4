// Keys that work everywhere but where text is typed.

import { tell } from "./toasts.js";

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
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (page.escape()) event.preventDefault();
      return;
    }
    const isTyping = event.target.closest?.("input:not([type=checkbox]), select, textarea");
    if (isTyping) return;
    if (event.key === "?") page.help();
    else if (document.getElementById("game").hidden) return;
    else if (page.past.isShown && (tabs[event.key] || (keys[event.key] && !anytime.has(event.key) && !event.key.startsWith("Arrow")))) tell("This is an old turn. Escape leads back to the game.");
    else if (tabs[event.key]) page.showTab(tabs[event.key]);
    else if (event.key.startsWith("Arrow") && event.target !== document.body) return;
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });
}
