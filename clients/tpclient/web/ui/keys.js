// Keys that work everywhere but where text is typed.

/** @param {Object} page */
export function bindKeys(page) {
  const tabs = { 1: "selected", 2: "mine", 3: "messages", 4: "list" };
  const keys = {
    v: () => page.switchView(),
    f: () => page.goToFinish(),
    n: () => page.step(1),
    p: () => page.step(-1),
    o: () => page.orders(),
    m: () => document.getElementById("map").focus(),
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
    else if (tabs[event.key]) page.showTab(tabs[event.key]);
    else if (event.key.startsWith("Arrow") && event.target !== document.body) return;
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });
}
