// Pointing at an object on the map in place of choosing it from a list.

import { $, h, listed, say, show } from "./dom.js";

export class Picking {
  #page;
  #kinds = [];
  #done = null;

  /** @param {Object} page `map`, `player` */
  constructor(page) {
    this.#page = page;
    page.map.addEventListener("pick", ({ detail }) => this.#picked(detail));
    page.map.addEventListener("cancel", () => this.stop());
    $("pick-note").querySelector("button").addEventListener("click", () => this.stop());
  }

  /**
   * @param {number[]} kinds ids of the object kinds that may be picked, empty: all
   * @param {string} purpose for people
   * @returns {Promise<number|null>}
   */
  pick(kinds, purpose) {
    this.stop();
    this.#kinds = kinds;
    const { universe } = this.#page.player;
    const names = kinds.map((id) => universe.objectKinds.get(id)?.name).filter(Boolean);
    this.#tell(`${purpose}: click on the map${names.length && names.length < 5 ? ` (${listed(names)})` : ""}.`);
    this.#page.map.pick();
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  /** No object after all. */
  stop() {
    this.#finish(null);
  }

  #tell(text, choices = []) {
    show($("pick-note").querySelector("span"), text, " ", choices);
    $("pick-note").hidden = false;
  }

  #finish(id) {
    this.#page.map.stopPicking();
    $("pick-note").hidden = true;
    const done = this.#done;
    this.#done = null;
    done?.(id);
  }

  #picked({ things, icon }) {
    const { universe } = this.#page.player;
    const fitting = things.filter((thing) => !this.#kinds.length || this.#kinds.includes(thing.role));
    const place = fitting.find((thing) => thing.id === icon);
    const pieces = fitting.filter((thing) => thing.ships.size);
    // The place itself is meant where it may be chosen, even if pieces stand on it that may be chosen too.
    // As long as the server has not said what fits, the player has to.
    const isKnown = this.#kinds.length > 0;
    const candidates = place ? (isKnown ? [place] : [place, ...pieces]) : pieces.length ? pieces : fitting;
    if (candidates.length === 1) this.#finish(candidates[0].id);
    else if (!candidates.length) this.#tell(`${universe.objectName(icon)} has nothing that fits here. Choose another place.`);
    else {
      const name = (thing) => `${universe.objectName(thing.id)}${thing.owner ? ` (${thing.owner === universe.me ? "yours" : universe.playerName(thing.owner)})` : ""} #${thing.id}`;
      this.#tell("Which one?", candidates.slice(0, 12).map((thing) => h("button", { type: "button", onclick: () => this.#finish(thing.id), text: name(thing) })));
    }
    say($("status"), $("pick-note").textContent);
  }
}
