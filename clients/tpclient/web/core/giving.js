// Orders on their way, kept beside the confirmed ones.
// Nothing is lost silently.

import { BadArgument, ClientError, ConnectionLost, Refusal } from "./errors.js";
import { APPEND, anyValues, fieldsOf, isUnfinished, orderBody, parameterAtFault, probeBody, readOrder, sameOrder } from "./orders.js";

/** So many orders are tried at once to learn what can be chosen. */
const MOST_TRIALS = 8;

/**
 * An order of a queue. "sending": not confirmed yet; "unknown": the connection was lost before the answer came, so it
 * is looked up when the player is back; "removing": confirmed, and asked to go.
 * @typedef {{order: import("./orders.js").Order, state: "confirmed"|"sending"|"unknown"|"removing"}} QueuedOrder
 */

/**
 * Where in a queue an order is to be: by default behind all others; with `replaces` in place of the order in the slot.
 * @typedef {{slot?: number, replaces?: boolean}} Place
 */

/** @typedef {import("./orders.js").Order} Order */
/** @typedef {import("./player.js").Player} Player */

/** The orders of one player. Used through Player, whose methods have the same names. */
export class Giving {
  #player;
  /** @type {{order: Order, state: string}[]} */
  #pending = [];
  #removing = new Set();
  /** By order kind: the last order that the server described, which tells limits that hold always. */
  #seen = new Map();

  /** @param {Player} player */
  constructor(player) {
    this.#player = player;
  }

  get #universe() {
    return this.#player.universe;
  }

  #kind(id) {
    const kind = this.#universe.orderKinds.get(id);
    if (!kind) throw new BadArgument(`There is no order kind ${id}.`);
    return kind;
  }

  get isSending() {
    return this.#pending.length + this.#removing.size > 0;
  }

  /** @returns {QueuedOrder[]} */
  queued(queue) {
    const found = (this.#universe.orders.get(queue) ?? []).map((order) => ({
      order,
      state: this.#removing.has(order) ? "removing" : "confirmed",
    }));
    for (const one of this.#pending.filter((entry) => entry.order.queue === queue)) {
      const at = one.order.slot === APPEND ? found.length : Math.min(one.order.slot, found.length);
      found.splice(at, 0, { order: one.order, state: one.state });
    }
    return found;
  }

  /** @returns {Promise<Order>} */
  async probe(queue, kindId, values, place = {}) {
    const kind = this.#kind(kindId);
    const body = probeBody(kind, queue, values, place);
    try {
      return this.#described(readOrder(await this.#player.askOne("orderProbe", body, "order")));
    } catch (error) {
      throw pointed(error, kind, values);
    }
  }

  /**
   * @returns {Promise<import("./orders.js").Field[]>} with `known` false where no probe was accepted, which happens when
   *   the values so far do not make an order
   */
  async fields(queue, kindId, values = [], place = {}) {
    const kind = this.#kind(kindId);
    const told = await this.#anyProbe(queue, kind, values, place);
    if (told) return fieldsOf(kind, told, this.#universe, values);
    const seen = this.#seen.get(kindId) ?? null;
    return fieldsOf(kind, seen, this.#universe, values).map((field) =>
      field.options ? { ...field, options: [], known: false } : field,
    );
  }

  /** The first order that the server would take: with the values given, and for objects not chosen one of each kind. */
  async #anyProbe(queue, kind, values, place) {
    const universe = this.#universe;
    const carrier = universe.carrier(queue);
    if (!carrier) return null;
    const oneOfEach = new Map([[carrier.role, carrier]]);
    for (const thing of universe.objects.values()) if (!oneOfEach.has(thing.role)) oneOfEach.set(thing.role, thing);
    const trials = new Map();
    for (const thing of oneOfEach.values()) {
      if (trials.size >= MOST_TRIALS) break;
      try {
        const body = probeBody(kind, queue, anyValues(kind, thing, universe, values), place);
        trials.set(JSON.stringify(body), body);
      } catch (error) {
        if (!(error instanceof BadArgument)) throw error;
        return null;
      }
    }
    const answers = await Promise.all(
      [...trials.values()].map((body) =>
        this.#player.askOne("orderProbe", body, "order").catch((error) => {
          if (error instanceof Refusal) return null;
          throw error;
        }),
      ),
    );
    const found = answers.find(Boolean);
    return found ? this.#described(readOrder(found)) : null;
  }

  /** @returns {Promise<Order>} */
  async insertOrder(queue, kindId, values, slot = APPEND) {
    const kind = this.#kind(kindId);
    const body = { ...orderBody(kind, queue, values, slot), ...this.#player.meant };
    const entry = { order: readOrder({ ...body, id: queue }), state: "sending" };
    const { turn } = this.#player;
    const before = this.#count(entry.order);
    this.#pending.push(entry);
    this.#tell(queue);
    try {
      const order = this.#described(readOrder(await this.#player.askOne("orderInsert", body, "order")));
      await this.#readAgain(queue);
      return order;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw pointed(error, kind, values);
      entry.state = "unknown";
      this.#tell(queue);
      await this.#player.returned(error);
      return this.#lookedUp(entry, before, turn);
    } finally {
      this.#pending.splice(this.#pending.indexOf(entry), 1);
      this.#tell(queue);
    }
  }

  /** How many orders like this one there are, those on their way too. */
  #count(order) {
    const confirmed = this.#universe.orders.get(order.queue) ?? [];
    const sending = this.#pending.map((entry) => entry.order).filter((other) => other.queue === order.queue);
    return [...confirmed, ...sending].filter((other) => sameOrder(order, other)).length;
  }

  #lookedUp({ order }, before, turn) {
    const same = (this.#universe.orders.get(order.queue) ?? []).filter((other) => sameOrder(order, other));
    if (same.length > before) return same[before];
    const kind = this.#universe.orderKinds.get(order.kind);
    const name = kind ? this.#universe.orderName(kind) : "order";
    if (this.#player.turn !== turn) {
      throw new ConnectionLost(`The turn ended while the connection was lost; whether ${name} was carried out is not known.`);
    }
    throw new ConnectionLost(`The connection was lost before ${name} arrived; it was not given.`);
  }

  /** Rejects with a Refusal, or ClientError if another order is in that slot by now. An order is removed once. */
  async removeOrder(queue, slot) {
    const known = this.#universe.orders.get(queue)?.[slot];
    if (this.#removing.has(known)) return;
    if (known) this.#removing.add(known);
    try {
      await this.#confirmed(queue, slot);
      await this.#removeFrom(queue, slot);
      await this.#readAgain(queue);
    } finally {
      this.#removing.delete(known);
      this.#tell(queue);
    }
  }

  async #removeFrom(queue, slot, known = null) {
    if (known) this.#removing.add(known);
    this.#tell(queue);
    try {
      await this.#player.askOne("removeOrder", { id: queue, slots: [slot], ...this.#player.meant }, "okay");
    } finally {
      if (known) this.#removing.delete(known);
      this.#tell(queue);
    }
  }

  /**
   * Put an order in the place of another, which stays if it is refused. If the connection is lost on the way it waits
   * until we are back and looks which of the two is there.
   * @returns {Promise<Order>}
   */
  async replaceOrder(queue, slot, kindId, values) {
    const kind = this.#kind(kindId);
    const body = { ...orderBody(kind, queue, values, slot), ...this.#player.meant };
    const { turn } = this.#player;
    await this.#confirmed(queue, slot);
    try {
      return this.#described(readOrder(await this.#player.askOne("orderReplace", body, "order")));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw pointed(error, kind, values);
      await this.#player.returned(error);
      const present = await this.#slot(queue, slot);
      if (present && sameOrder(present, readOrder({ ...body, id: queue }))) return present;
      const was = this.#player.turn === turn ? "the order was not changed" : "whether the order was changed is not known";
      throw new ConnectionLost(`The connection was lost; ${was}.`);
    } finally {
      await this.#readAgain(queue);
    }
  }

  /**
   * Move an order so that it ends up in slot `to`: it goes in there before it comes out; where rules do not allow both
   * at once, it comes out first and is put back if it is refused.
   * @returns {Promise<Order>}
   */
  async moveOrder(queue, from, to) {
    const order = this.#universe.orders.get(queue)?.[from];
    if (!order) throw new ClientError(`There is no longer an order in slot ${from}.`);
    if (from === to) return order;
    if (isUnfinished(order)) throw new ClientError("Something is not chosen yet in this order; change it or remove it.");
    return this.#exchange(queue, from, to, order.kind, order.values);
  }

  async #exchange(queue, from, to, kindId, values) {
    const old = await this.#confirmed(queue, from);
    let made;
    try {
      made = await this.insertOrder(queue, kindId, values, to > from ? to + 1 : to);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return this.#exchangeOneByOne(queue, from, to, kindId, values, old);
    }
    const there = to > from ? from : from + 1;
    // Where an order is carried out at once, the queue is another one by now.
    const present = await this.#slot(queue, there);
    if (present && sameOrder(present, old)) {
      try {
        await this.#removeFrom(queue, there);
      } catch (error) {
        if (error instanceof Refusal) await this.#removeFrom(queue, made.slot);
        throw error;
      } finally {
        await this.#readAgain(queue);
      }
    }
    return made;
  }

  async #exchangeOneByOne(queue, from, to, kindId, values, old) {
    await this.#removeFrom(queue, from, old);
    try {
      return await this.insertOrder(queue, kindId, values, to);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      try {
        await this.insertOrder(queue, old.kind, old.values, from);
      } catch (second) {
        if (second instanceof Refusal) error.message += ` What was there before is refused now, too: ${second.message}`;
        else throw second;
      }
      throw error;
    } finally {
      await this.#readAgain(queue);
    }
  }

  /** The order that we believe to be in a slot, if it is really there. */
  async #confirmed(queue, slot) {
    const known = this.#universe.orders.get(queue)?.[slot];
    const present = await this.#slot(queue, slot);
    if (known && present && sameOrder(known, present)) return known;
    await this.#readAgain(queue);
    throw new ClientError("The queue has changed meanwhile; look at it and try again.");
  }

  async #slot(queue, slot) {
    const [frame] = await this.#player.askEach("getOrder", { id: queue, slots: [slot] });
    return frame?.kind === "order" ? readOrder(frame.body) : null;
  }

  /** What was asked has been answered; what the queue looks like now is only news. */
  async #readAgain(queue) {
    try {
      await this.#player.refreshQueue(queue);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
    }
    this.#tell(queue);
  }

  #described(order) {
    this.#seen.set(order.kind, order);
    return order;
  }

  #tell(queue) {
    this.#player.dispatchEvent(new CustomEvent("queue", { detail: { queue } }));
  }
}

/** A refusal that says which parameter it is about, if that can be told. */
function pointed(error, kind, values) {
  if (error instanceof Refusal) error.parameter = parameterAtFault(error, kind, values);
  return error;
}
