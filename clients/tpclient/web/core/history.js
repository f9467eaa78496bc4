// Turn history: any turn as this seat saw it.
// A second connection logs in to an old turn (`NAME@GAME/turn/N`), goes from turn to turn, fetches the differences, and
// closes after some idle time. When the game is over, old turns show what all players saw.

import { readStanding } from "./appearance.js";
import { readClock } from "./clock.js";
import { CODE, ConnectionLost, Refusal } from "./errors.js";
import { NOBODY } from "./objects.js";
import { Universe } from "./universe.js";
import { text } from "./values.js";

/** Old turns in memory, and their objects in all if there are several. */
export const MOST_TURNS = 16;
export const MOST_OBJECTS = 20_000;
/** Milliseconds before each further try while the server is busy. */
export const PAUSES = [150, 500, 1500];
/** Milliseconds until an unused connection hangs up: the server has room for few. */
export const REST = 15_000;

/** What differs from turn to turn; all else is that of the present. */
const PASSING = ["objects", "queues"];
const LASTING = ["objectKinds", "orderKinds", "resources", "designs", "appearance"];

const UNWANTED = "This turn is no longer needed.";

/** One old turn: `name` as the game calls it. @typedef {{turn: number, name: string, universe: Universe}} Past */

/** Reads old turns, one at a time. */
export class History {
  #player;
  /** Those shown last are at the end. @type {Map<number, Past>} */
  #kept = new Map();
  /** The connection, and the copy of the turn that it shows; null: none is open. @type {{visitor: import("./visitor.js").Visitor, universe: Universe}|null} */
  #visit = null;
  /** What is being read. @type {{turn: number, promise: Promise<Past>}|null} */
  #reading = null;
  /** What is read after that: what was wanted last. @type {{turn: number, promise: Promise<Past>, resolve: Function, reject: Function}|null} */
  #next = null;
  /** A turn that is likely to be wanted next; null: none is. @type {number|null} */
  #likely = null;
  #callOffRest = null;
  /** Whether the server may know how to go from turn to turn: until it has said that it does not. */
  #canSwitch = true;

  /** @param {import("./player.js").Player} player who plays or watches the game */
  constructor(player) {
    this.#player = player;
    player.addEventListener("over", () => this.forget()); // from now on everything is seen
  }

  /** Keep nothing: another game, or other eyes. */
  forget() {
    this.#kept.clear();
    this.#canSwitch = true;
    this.stop();
  }

  /** Read no more, and hang up; whoever waits gets ConnectionLost. */
  stop() {
    this.#reading = this.#likely = null;
    this.#supersede(null);
    this.#hangUp();
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
   * An old turn. While another one is being read this one waits, in place of any that has been waiting.
   * @param {number} turn 0 to the present one
   * @returns {Promise<Past>} rejects with the server's Refusal, or with ConnectionLost if it is given up
   */
  async open(turn) {
    const kept = this.kept(turn);
    if (kept) return kept;
    if (!this.#reading) this.#begin(turn);
    if (this.#reading.turn === turn) {
      this.#supersede(null);
      return this.#reading.promise;
    }
    if (this.#next?.turn !== turn) this.#supersede(turn);
    return this.#next.promise;
  }

  /** Read a turn that is likely to be wanted next, when no other is being read. @param {number} turn */
  ahead(turn) {
    const isOne = turn >= 0 && turn < this.#player.turn + (this.#player.over ? 1 : 0);
    if (!isOne || this.#kept.has(turn)) return;
    if (this.#reading) this.#likely = turn;
    else this.#begin(turn);
  }

  /** Another turn waits now, or none; what has been waiting is given up. */
  #supersede(turn) {
    const before = this.#next;
    this.#next = null;
    before?.reject(new ConnectionLost(UNWANTED));
    if (turn === null) return;
    const next = { turn };
    next.promise = new Promise((resolve, reject) => Object.assign(next, { resolve, reject }));
    next.promise.catch(() => {}); // whoever wants it is told
    this.#next = next;
  }

  #begin(turn) {
    this.#callOffRest?.();
    this.#callOffRest = null;
    const reading = { turn, promise: null };
    this.#reading = reading;
    reading.promise = this.#read(reading)
      .then((past) => {
        if (this.#reading === reading) this.#keep(past);
        return past;
      })
      .finally(() => {
        if (this.#reading === reading) this.#goOn();
      });
    reading.promise.catch(() => {}); // whoever wants it is told
  }

  /** One turn was read: read what has been waiting, or rest. */
  #goOn() {
    const [next, likely] = [this.#next, this.#likely];
    this.#reading = this.#next = this.#likely = null;
    if (next) {
      this.#begin(next.turn);
      this.#reading.promise.then(next.resolve, next.reject);
    } else if (likely !== null && !this.#kept.has(likely)) {
      this.#begin(likely);
    } else if (this.#visit) {
      this.#callOffRest = this.#visit.visitor.time.later(REST, () => this.#hangUp());
    }
  }

  async #read(reading) {
    const checked = (result) => {
      if (this.#reading !== reading) throw new ConnectionLost(UNWANTED);
      return result;
    };
    for (let tries = 0; ; tries++) {
      try {
        return checked(await this.#look(reading.turn));
      } catch (error) {
        const isBusy = error instanceof Refusal && error.isTemporary && tries < PAUSES.length;
        if (!isBusy || this.#next) throw error;
        await new Promise((resolve) => this.#player.time.later(PAUSES[tries], resolve));
        checked();
        if (this.#next) throw error;
      }
    }
  }

  /** Look at a turn over the connection that there is, or a new one. */
  async #look(turn) {
    const open = this.#visit;
    if (open?.visitor.isConnected && this.#canSwitch) {
      try {
        return await this.#switch(open, turn);
      } catch (error) {
        if (!(error instanceof Refusal)) {
          this.#leave(open);
          throw error;
        }
        if (error.code > CODE.FRAME) throw error; // the turn before is shown still
        this.#canSwitch = false; // an older server: log in to each turn
      }
    }
    if (open) this.#leave(open);
    const visit = { visitor: this.#player.companion(), universe: new Universe() };
    this.#visit = visit;
    try {
      return await this.#enter(visit, turn);
    } catch (error) {
      this.#leave(visit);
      throw error;
    }
  }

  async #enter({ visitor, universe }, turn) {
    await visitor.connect();
    await this.#player.enterTurn(visitor, turn);
    for (const table of LASTING) universe[table] = this.#player.universe[table];
    const [clock] = await Promise.all([
      visitor.requests.getTimeRemaining(),
      universe.refresh(visitor.conversation, { tables: [...PASSING, "players"] }),
      this.#learnStanding(visitor, universe),
    ]);
    const { name } = readClock(clock, visitor.time.now());
    // Who plays is the same in all turns, also where the one who looks had no seat yet.
    if (universe.me === NOBODY) universe.me = this.#player.universe.me;
    return { turn, name, universe: universe.copy() };
  }

  /** All at once: what is answered behind ShowTurn is of that turn, or, if that is refused, of the one before. */
  async #switch({ visitor, universe }, turn) {
    const shown = visitor.requests.showTurn({ turn });
    shown.catch(() => {}); // it is waited for below
    const found = [universe.refresh(visitor.conversation, { tables: PASSING }), this.#learnStanding(visitor, universe)];
    await Promise.all(found);
    return { turn, name: text((await shown).turnName), universe: universe.copy() };
  }

  /** How all stood; older servers do not tell it. */
  #learnStanding(visitor, universe) {
    return visitor.requests.getStanding().then((body) => (universe.standing = readStanding(body)), () => {});
  }

  #hangUp() {
    this.#callOffRest?.();
    this.#callOffRest = null;
    if (this.#visit) this.#leave(this.#visit);
  }

  #leave(visit) {
    visit.visitor.disconnect();
    if (this.#visit === visit) this.#visit = null;
  }

  #keep(past) {
    // The orders of the present turn may change, and the past be seen with other eyes when it is over.
    if (past.turn >= this.#player.turn && !this.#player.over) return;
    this.#kept.set(past.turn, past);
    const objects = () => [...this.#kept.values()].reduce((sum, { universe }) => sum + universe.objects.size, 0);
    while (this.#kept.size > MOST_TURNS || (this.#kept.size > 1 && objects() > MOST_OBJECTS)) this.#kept.delete(this.#kept.keys().next().value);
  }
}
