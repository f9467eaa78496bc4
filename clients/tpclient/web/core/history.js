// The past of a game: any turn as this seat saw it. Each is read once, over a second connection that logs in to that turn
// (`NAME@GAME/turn/N`), and that is closed as soon as all is here. When the game is over, old turns show what all saw.

import { readStanding } from "./appearance.js";
import { readClock } from "./clock.js";
import { ConnectionLost, Refusal } from "./errors.js";
import { NOBODY } from "./objects.js";
import { Universe } from "./universe.js";
import { Visitor } from "./visitor.js";

/** So many old turns stay in memory, with so many objects in all if there is more than one. */
export const MOST_TURNS = 16;
export const MOST_OBJECTS = 20_000;
/** Milliseconds before each further try where the server is busy with other old turns. */
export const PAUSES = [150, 500, 1500];

/** What can be different from one turn of a game to the next; all else is taken from the present. */
const PASSING = ["players", "objects", "queues"];
const LASTING = ["objectKinds", "orderKinds", "resources", "designs", "appearance"];

/** One old turn: `name` as the game calls it. @typedef {{turn: number, name: string, universe: Universe}} Past */

/** Reads old turns, one at a time. */
export class History {
  #player;
  /** Those shown last are at the end. @type {Map<number, Past>} */
  #kept = new Map();
  /** What is being read. @type {{turn: number, visitor: Visitor, promise: Promise<Past>}|null} */
  #reading = null;

  /** @param {import("./player.js").Player} player who plays or watches the game */
  constructor(player) {
    this.#player = player;
    player.addEventListener("over", () => this.forget()); // from now on everything is seen
  }

  /** Keep nothing: another game, or other eyes. */
  forget() {
    this.#kept.clear();
    this.stop();
  }

  /** Read no more; whoever waits gets ConnectionLost. */
  stop() {
    this.#reading?.visitor.disconnect();
    this.#reading = null;
  }

  /** A turn that is in memory. @param {number} turn @returns {Past|null} */
  kept(turn) {
    const past = this.#kept.get(turn);
    if (!past) return null;
    this.#kept.delete(turn);
    this.#kept.set(turn, past);
    return past;
  }

  /**
   * An old turn. Another one that is being read is given up, so that there is one connection at most.
   * @param {number} turn 0 to the present one
   * @returns {Promise<Past>} rejects with the server's Refusal, or with ConnectionLost if it is given up
   */
  async open(turn) {
    const kept = this.kept(turn);
    if (kept) return kept;
    if (this.#reading?.turn !== turn) {
      this.stop();
      this.#begin(turn);
    }
    return this.#reading.promise;
  }

  /** Read a turn that is likely to be wanted next, unless another is being read. @param {number} turn */
  ahead(turn) {
    const isOne = turn >= 0 && turn < this.#player.turn + (this.#player.over ? 1 : 0);
    if (isOne && !this.#reading && !this.#kept.has(turn)) this.#begin(turn);
  }

  #begin(turn) {
    const visitor = this.#player.companion();
    const reading = { turn, visitor, promise: null };
    this.#reading = reading;
    reading.promise = this.#read(turn, visitor)
      .then((past) => {
        if (this.#reading === reading) this.#keep(past);
        return past;
      })
      .finally(() => {
        if (this.#reading === reading) this.#reading = null;
        visitor.disconnect();
      });
    reading.promise.catch(() => {}); // whoever wants it is told
  }

  async #read(turn, visitor) {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#visit(turn, visitor);
      } catch (error) {
        if (!(error instanceof Refusal && error.isTemporary) || tries >= PAUSES.length) throw error;
        await new Promise((resolve) => visitor.time.later(PAUSES[tries], resolve));
        if (this.#reading?.visitor !== visitor) throw new ConnectionLost("This turn is not wanted any more.");
      }
    }
  }

  async #visit(turn, visitor) {
    await visitor.connect();
    await this.#player.enterTurn(visitor, turn);
    const universe = new Universe();
    for (const table of LASTING) universe[table] = this.#player.universe[table];
    const [clock] = await Promise.all([
      visitor.askOne("getTimeRemaining", {}, "timeRemaining"),
      universe.refresh(visitor.conversation, { tables: PASSING }),
      visitor.askOne("getStanding", {}, "standing").then((body) => (universe.standing = readStanding(body)), () => {}), // older servers have none
    ]);
    const { name } = readClock(clock, visitor.time.now());
    // Who plays is the same in all turns, also where the one who looks had no seat yet.
    if (universe.me === NOBODY) universe.me = this.#player.universe.me;
    return { turn, name, universe };
  }

  #keep(past) {
    // The orders of the present turn may change, and the past be seen with other eyes when it is over.
    if (past.turn >= this.#player.turn && !this.#player.over) return;
    this.#kept.set(past.turn, past);
    const objects = () => [...this.#kept.values()].reduce((sum, { universe }) => sum + universe.objects.size, 0);
    while (this.#kept.size > MOST_TURNS || (this.#kept.size > 1 && objects() > MOST_OBJECTS)) this.#kept.delete(this.#kept.keys().next().value);
  }
}
