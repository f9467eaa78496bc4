// Choosing an object on the map instead of in a list.

import { plain } from "../core/rules.js";
import { WORDS } from "../words.js";
import { $, h, reveal, say, show } from "./dom.js";
import { distinctNames } from "./marks.js";

export class Picking {
  #page;
  #kinds = [];
  #name = "";
  #done = null;
  #purpose = "";
  /** The place that was clicked last, while it is still open what is meant there. */
  #clicked = null;
  /** What was clicked last and is refused: its things and its place. */
  #refused = null;

  /** @param {Object} page `map`, `player` */
  constructor(page) {
    this.#page = page;
    page.map.addEventListener("pick", ({ detail }) => this.#picked(detail));
    page.map.addEventListener("cancel", () => this.stop());
    $("pick-note").querySelector("button").addEventListener("click", () => this.stop());
  }

  /**
   * Asked again for the same purpose, because more is known now, it does not forget which place was clicked, nor that it is refused.
   * @param {number[]} kinds ids of the object kinds that may be picked, empty: all
   * @param {string} purpose for people @param {string} name what is picked is called, "" if that tells nothing
   * @param {{values: Promise<import("../core/legal.js").LegalValues|null>, why: (id: number) => Promise<string>}|null} look
   *   what the server takes, and why it does not take others; null if that cannot be told
   * @returns {Promise<number|null>}
   */
  pick(kinds, purpose, name = "", look = null) {
    const [clicked, refused] = purpose === this.#purpose ? [this.#clicked, this.#refused] : [null, null];
    this.stop();
    this.#kinds = kinds;
    this.#purpose = purpose;
    this.#name = plain(name);
    const { universe } = this.#page.player;
    const names = kinds.map((id) => universe.kindName(id)).filter(Boolean);
    this.#tell(WORDS.picking.clickOnMap({ purpose, names: names.length < 5 ? names : [] }));
    this.#page.map.pick();
    this.#learn(look);
    reveal($("map-box"));
    return new Promise((resolve) => {
      this.#done = resolve;
      if (clicked) this.#picked(clicked);
      else if (refused && look) this.#refuse(refused);
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
    if (this.#look) this.#page.acting.lightPicks(null);
    this.#look = this.#legal = null;
    this.#clicked = this.#refused = null;
    done?.(id);
  }

  /** What can be picked at all: lit, and all else is refused. */
  async #learn(look) {
    this.#look = look;
    this.#legal = null;
    const found = await look?.values;
    if (look !== this.#look || !found || found.free || !found.values.length || !this.#done) return;
    this.#legal = new Set(found.values);
    this.#page.acting.lightPicks(this.#legal);
  }

  #look = null;
  /** @type {Set<number>|null} null: not known */
  #legal = null;

  async #refuse({ things, icon }) {
    this.#refused = { things, icon };
    const { universe } = this.#page.player;
    const look = this.#look;
    const why = (await look.why((this.#meant(universe, things, icon)[0] ?? things[0]).id)) || WORDS.picking.unfit({ name: universe.objectName(icon) });
    if (look !== this.#look) return;
    this.#tell(WORDS.picking.another({ why }));
    this.#page.acting.tell(icon, why);
  }

  #picked(place) {
    const { things, icon } = place;
    const { universe } = this.#page.player;
    const ofKind = things.filter((thing) => !this.#kinds.length || this.#kinds.includes(thing.role));
    const fitting = this.#legal ? ofKind.filter((thing) => this.#legal.has(thing.id)) : ofKind;
    if (!fitting.length && ofKind.length) {
      this.#refuse({ things: ofKind, icon });
      return;
    }
    this.#clicked = place;
    this.#refused = null;
    const candidates = this.#meant(universe, fitting, icon);
    if (candidates.length === 1) this.#finish(candidates[0].id);
    else if (!candidates.length) this.#tell(WORDS.picking.nothingFits({ name: universe.objectName(icon) }));
    else {
      const names = distinctNames(universe, candidates);
      this.#tell(WORDS.picking.which, candidates.slice(0, 12).map((thing, at) => h("button", { type: "button", onclick: () => this.#finish(thing.id), text: names[at] })));
    }
    say($("status"), $("pick-note").textContent);
  }

  /** What of all that fits is meant by a place: one thing, or several between which the player has to choose. */
  #meant(universe, fitting, icon) {
    const place = fitting.find((thing) => thing.id === icon);
    const pieces = fitting.filter((thing) => thing.ships.size);
    // What is asked for may be called as its kind is.
    const named = fitting.filter((thing) => plain(thing.kind) === this.#name);
    // Else the place itself is meant where it may be chosen, even if pieces stand on it that may be chosen too.
    if (place && !named.length && this.#kinds.length) return [place];
    // As long as the server has not said what fits, the player has to.
    const candidates = named.length ? named : place ? [place, ...pieces] : pieces.length ? pieces : fitting;
    const mine = candidates.filter((thing) => thing.owner === universe.me && thing.ships.size);
    return mine.length === 1 ? mine : candidates;
  }
}
