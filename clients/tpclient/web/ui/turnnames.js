// What turns are called. A game may name its turns and number them as its rules do, while the server counts every step;
// of the two only one is shown, so that nobody reads two numbers of one turn.

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
    if (name) this.#titles.set(turn, this.#counts ? name : `${name} · turn ${turn}`);
    else this.#titles.delete(turn);
  }

  /** The title of one turn of so many, if the server's number is shown at all. @returns {string} */
  of(turn, last) {
    return this.#counts ? this.title(turn) : `${this.title(turn)} of ${last}`;
  }

  /** @param {number} turn the server's number @returns {string} */
  title(turn) {
    return this.#titles.get(turn) ?? (this.#counts ? `No. ${turn}` : `Turn ${turn}`);
  }
}
