// The tabs beside the map, by mouse and by the usual keys.

import { $ } from "./dom.js";

const NAMES = ["selected", "mine", "story", "messages", "list"];

export class Tabs {
  #shown;

  /** @param {(name: string) => void} shown is told which one is open now */
  constructor(shown) {
    this.#shown = shown;
    for (const name of NAMES) $(`tab-${name}`).addEventListener("click", () => this.show(name));
    $("tabs").addEventListener("keydown", (event) => {
      const at = NAMES.findIndex((name) => event.target.id === `tab-${name}`);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: NAMES.length - 1 }[event.key];
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const name = NAMES[(to + NAMES.length) % NAMES.length];
      this.show(name);
      this.focus(name);
    });
  }

  show(name) {
    for (const one of NAMES) {
      const isOpen = one === name;
      $(`tab-${one}`).setAttribute("aria-selected", String(isOpen));
      $(`tab-${one}`).tabIndex = isOpen ? 0 : -1;
      $(`panel-${one}`).hidden = !isOpen;
    }
    this.#shown(name);
  }

  focus(name) {
    $(`tab-${name}`).focus();
  }
}
