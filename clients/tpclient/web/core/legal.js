// Legal orders from the server: pieces that can act, parameter values.
// They are valid for the present position only: the turn and the orders given so far. When either changes, they are
// dropped, and so are responses on their way. A server without these requests gives none.

import { BadArgument, CODE, ClientError, Refusal } from "./errors.js";
import { KIND, anyValues, limitsOf, parametersOf, probeBody, readValue, WIDGETS } from "./orders.js";
import { list, text, whole } from "./values.js";

/** Maximum parts of an answer. */
export const MOST_PARTS = 500;

/**
 * One type of order that can be given now: `on` carries it; `named` is the piece that is its first parameter, 0 if none
 * is meant.
 * @typedef {{on: number, kind: number, named: number}} LegalOrder
 */
/**
 * The values that one parameter takes after those chosen before it. `parameter` is its index; the number of parameters
 * if all were chosen: then `refusal` says why the order would not be accepted, `doubt` why it may come to nothing. `free`:
 * other values may be accepted as well. `options`: what the choices of a list are called; `min`, `max` of a number.
 * @typedef {{parameter: number, values: any[], free: boolean, leftOut: number, refusal: string, doubt: string,
 *   options: import("./orders.js").Option[], min: number, max: number}} LegalValues
 */

/** Events: "legal" when what is known of the whole game has changed: found out, or forgotten. */
export class Legal extends EventTarget {
  /** Everything that can be ordered now; empty as long as that is not known. @type {LegalOrder[]} */
  orders = [];
  /** Whether `orders` is what the server said of the present position. */
  isKnown = false;

  #player;
  /** Counts positions: what was asked in another one is of no use. */
  #position = 0;
  #isMissing = false;
  #isDue = false;
  /** The question on its way. @type {{position: number, done: Promise<void>}|null} */
  #asking = null;
  /** By request: what is known or on its way, in this position. @type {Map<string, Object>} */
  #looks = new Map();
  /** As it was told last. @type {import("./clock.js").Clock|null} */
  #clock = null;

  /** @param {import("./player.js").Player} player */
  constructor(player) {
    super();
    this.#player = player;
    player.addEventListener("turn", () => this.changed());
    player.addEventListener("queue", () => this.changed());
    player.addEventListener("back", () => this.reset());
    player.addEventListener("lost", () => this.#forget());
    player.addEventListener("time", ({ detail }) => this.#told(detail.clock));
  }

  /** Whether the server is too old to tell what is legal. */
  get isMissing() {
    return this.#isMissing;
  }

  /** Another game, or another server. */
  reset() {
    this.#isMissing = false;
    this.changed();
  }

  /** The position is another one: forget everything, and ask again unless an order is still on its way. */
  changed() {
    this.#forget();
    if (this.#isDue || this.#isMissing || this.#player.isWatching) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.#player.state === "playing" && !this.#player.isSending) this.#ask();
    });
  }

  #forget() {
    this.#position += 1;
    this.#looks.clear();
    if (!this.isKnown) return;
    this.orders = [];
    this.isKnown = false;
    this.dispatchEvent(new CustomEvent("legal"));
  }

  /** The clock tells that a turn ends before its result is here; and that we are awaited no more. */
  #told(clock) {
    const before = this.#clock;
    this.#clock = clock;
    // The first one may be told before it is known who we are: both are compared as we see them now.
    const { me } = this.#player.universe;
    const isSame = before?.computing === clock.computing && before.waiting.includes(me) === clock.waiting.includes(me);
    if (before?.turn === clock.turn && isSame) return;
    if (before?.turn === clock.turn && !clock.computing) this.changed();
    else this.#forget();
  }

  /**
   * What can be ordered in the present position, asked for unless it is known.
   * @returns {Promise<LegalOrder[]>} none where that cannot be found out: the server does not tell, a turn is being
   *   computed, we only watch, or there is no connection
   */
  async now() {
    let asked = -1; // the position may be another one when the answer comes
    while (!this.isKnown && !this.#isMissing && !this.#player.isWatching && asked !== this.#position) {
      asked = this.#position;
      await this.#ask();
    }
    return this.orders;
  }

  /** Ask what can be ordered; once, however many want to know. */
  #ask() {
    if (this.#asking?.position !== this.#position) {
      const asking = { position: this.#position, done: this.#askAll().finally(() => this.#asking === asking && (this.#asking = null)) };
      this.#asking = asking;
    }
    return this.#asking.done;
  }

  async #askAll() {
    const position = this.#position;
    const found = [];
    const isWanted = () => position === this.#position;
    const isDone = await this.#inParts("getLegalOrders", { grouped: true }, "legalOrders", isWanted, (body) => {
      found.push(...list(body.orders).map((row) => ({ on: whole(row.id), kind: whole(row.otype), named: whole(row.named) })));
      for (const group of list(body.groups)) {
        const [kind, ids, pieces] = [whole(group.otype), list(group.ids).map(whole), list(group.named).map(whole)];
        for (const on of ids) found.push(...(pieces.length ? pieces : [0]).map((named) => ({ on, kind, named })));
      }
    });
    if (!isDone) return;
    this.orders = found;
    this.isKnown = true;
    this.dispatchEvent(new CustomEvent("legal"));
  }

  /** Ask for all parts of an answer. @returns {Promise<boolean>} whether they came; false too if nobody wants them more */
  async #inParts(kind, body, answer, isWanted, take) {
    let start = 0;
    for (let part = 0; part < MOST_PARTS; part++) {
      let told;
      try {
        told = await this.#player.askOne(kind, { ...body, start }, answer);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        // While a turn is computed, and after the end, it is refused as well, but as a known frame.
        if (kind === "getLegalOrders" && error instanceof Refusal && error.code <= CODE.FRAME) this.#isMissing = true;
        return false;
      }
      if (!isWanted()) return false;
      take(told);
      start = whole(told.following);
      if (!start) return true;
      if (!isWanted()) return false;
    }
    return true;
  }

  // --- pieces

  /** What a piece can be ordered itself. @param {number} id @returns {LegalOrder[]} */
  of(id) {
    return this.orders.filter((order) => order.on === id && !order.named);
  }

  /** The orders that others carry and that name a piece first. @param {number} id @returns {LegalOrder[]} */
  naming(id) {
    return this.orders.filter((order) => order.named === id);
  }

  /** The ids of all pieces that can act: which carry an order, or have none of their own and are named by one. */
  get acting() {
    const found = new Set();
    const { objects } = this.#player.universe;
    for (const { on, named } of this.orders) {
      if (!named) found.add(on);
      else if (!objects.get(named)?.queue) found.add(named);
    }
    return found;
  }

  // --- values

  /**
   * The values of the next parameter of an order after those chosen. Asked once in each position.
   * @param {number} on what carries the order @param {number} kindId @param {any[]} chosen the first values
   * @param {{isWanted?: () => boolean, part?: (values: LegalValues) => void}} options `isWanted` false: ask for no more
   *   parts; `part` is told what has come so far
   * @returns {Promise<LegalValues|null>} null if that is not known, or not wanted any more
   */
  values(on, kindId, chosen, { isWanted = () => true, part = undefined } = {}) {
    const kind = this.#player.universe.orderKinds.get(kindId);
    if (!kind || this.#isMissing || this.#player.isSending) return Promise.resolve(null);
    let parameters;
    try {
      parameters = parametersOf(kind, chosen, chosen.length);
    } catch (error) {
      if (error instanceof BadArgument) return Promise.resolve(null);
      throw error;
    }
    const key = JSON.stringify([on, kindId, parameters]);
    const known = this.#looks.get(key);
    if (known) {
      known.wanted.push(isWanted);
      if (part) {
        known.parts.push(part);
        if (known.found) part(known.found);
      }
      return known.result;
    }
    const look = { wanted: [isWanted], parts: part ? [part] : [], found: null, result: null };
    this.#looks.set(key, look);
    look.result = this.#look(look, kind, { id: on, otype: kindId, parameters }).then((found) => {
      if (!found && this.#looks.get(key) === look) this.#looks.delete(key);
      return found;
    });
    return look.result;
  }

  async #look(look, kind, body) {
    const position = this.#position;
    const isWanted = () => position === this.#position && look.wanted.some((one) => one());
    const index = body.parameters.length;
    const found = { parameter: index, values: [], free: false, leftOut: 0, refusal: "", doubt: "", options: [], min: Infinity, max: -Infinity };
    const isDone = await this.#inParts("getLegalValues", body, "legalValues", isWanted, (told) => {
      found.free = told.free === true;
      found.leftOut += whole(told.leftOut);
      found.refusal = text(told.refusal);
      found.doubt = text(told.doubt);
      found.values.push(...list(told.ids).map(whole));
      for (const value of list(told.values)) this.#add(found, kind.parameters[index]?.type, value);
      look.found = found;
      for (const part of [...look.parts]) part(found);
    });
    return isDone ? found : null;
  }

  #add(found, type, parameter) {
    const value = readValue(parameter);
    found.values.push(value);
    const { options = [], min, max } = limitsOf(type, parameter[WIDGETS[type]] ?? {}, this.#player.universe);
    found.options.push(...options);
    if (typeof value !== "number") return;
    found.min = Math.min(found.min, type === KIND.RANGE ? min : value);
    found.max = Math.max(found.max, type === KIND.RANGE ? max : value);
  }

  /**
   * Why a value cannot be chosen, in the server's words; "" if nothing speaks against it, or nobody knows.
   * @param {any[]} values the first ones, the last of which is in question
   */
  async why(on, kindId, values) {
    const { universe } = this.#player;
    const kind = universe.orderKinds.get(kindId);
    const carrier = universe.objects.get(on);
    if (!kind || !carrier) return "";
    if (values.length === kind.parameters.length) return (await this.values(on, kindId, values))?.refusal ?? "";
    // What is missing may be anything: if the rest is at fault, the value is not.
    try {
      const body = probeBody(kind, carrier.queue, anyValues(kind, carrier, universe, values));
      await this.#player.askOne("orderProbe", body, "order");
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      if (!(error instanceof ClientError)) throw error;
    }
    return "";
  }

  /** Why a whole order that is accepted may come to nothing; "" if nothing speaks against it. */
  async doubt(on, kind, values) {
    try {
      const body = { id: on, otype: kind.id, parameters: parametersOf(kind, values) };
      return text((await this.#player.requests.getLegalValues(body)).doubt);
    } catch (error) {
      if (error instanceof ClientError) return "";
      throw error;
    }
  }
}
