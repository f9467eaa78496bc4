// Names of turns. A game may name and number its turns by its rules.
// The server counts every step. The page shows only one of the two numbers.

import { WORDS } from "../words.js";

const hasNumber = (name) => /\d/.test(name);

/** The titles of the turns that were seen, by the server's number, also for what is told of a turn later. */
export class TurnNames {
  #titles = new Map();
  /** Whether the game counts by itself: then the server's number would read as another turn of the game's. */
  #counts = false;

  /** Begin anew, as in another game. */
  clear() {
    this.#titles.clear();
    this.#counts = false;
  }

  /** @param {import("../core/clock.js").Clock} clock */
  learn({ name, turn }) {
    this.#counts ||= hasNumber(name);
    if (name) this.#titles.set(turn, this.#counts ? name : WORDS.turn.named({ name, turn }));
    else this.#titles.delete(turn);
  }

  /** The title of one turn of so many, if the server's number is shown at all. @returns {string} */
  of(turn, last) {
    return this.#counts ? this.title(turn) : WORDS.turn.of({ title: this.title(turn), last });
  }

  /** @param {number} turn the server's number @returns {string} */
  title(turn) {
    return this.#titles.get(turn) ?? (this.#counts ? WORDS.turn.numbered({ turn }) : WORDS.turn.title({ turn }));
  }
}
