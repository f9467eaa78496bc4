// The form of one order: filled in, probed meanwhile, and sent.
// Its values stay until the order is given.

import { ConnectionLost, Refusal } from "../core/errors.js";
import { KIND, descriptionWords, fieldsOf, problems } from "../core/orders.js";
import { WORDS } from "../words.js";
import { h, reveal, say, settled, show } from "./dom.js";
import { note, sentence } from "./toasts.js";
import { widgetFor } from "./widgets.js";

const PROBE_AFTER = 180;

/** List parameters of which the server takes one choice only, by order kind and parameter; learnt from probes. */
const single = new Set();

export class OrderForm {
  #page;
  #place;
  #widgets = [];
  #fields = [];
  #open = null;
  #serial = 0;
  #probeLater = settled(() => this.#probe(), PROBE_AFTER);

  /**
   * @param {HTMLElement} place where the form is shown
   * @param {{player: import("../core/player.js").Player, pick: Function, stopPicking: () => void,
   *   ordered: () => void, reading: import("./rules.js").RulesDialog, map: {isPicking: boolean}}} page
   */
  constructor(place, page) {
    this.#place = place;
    this.#page = page;
  }

  /** The object that was selected when the order was begun, 0 if none is being written. */
  get carrier() {
    return this.#open?.selected ?? 0;
  }

  get isOpen() {
    return this.#open !== null;
  }

  /**
   * Begin an order, or change one.
   * @param {Object} thing what carries it out @param {Object} kind the OrderKind
   * @param {import("../core/orders.js").Order|null} order the one that is changed
   * @param {boolean} pointing whether to ask for the first object by pointing at once
   * @param {any[]} given the first values, if they are known already
   * @param {number} selected the object that is selected meanwhile
   */
  async open(thing, kind, order = null, pointing = false, given = [], selected = thing.id) {
    this.close();
    this.#warned = -1;
    const serial = ++this.#serial;
    this.#open = { thing, kind, order, selected };
    show(this.#place, h("p", { class: "hint", text: WORDS.orderForm.askingChoices }));
    let fields;
    try {
      fields = order
        ? fieldsOf(kind, order, this.#universe)
        : await this.#page.player.fields(thing.queue, kind.id, given, this.#position);
    } catch (error) {
      fields = fieldsOf(kind, null, this.#universe, given);
      note(sentence(error), "bad");
    }
    if (serial !== this.#serial) return;
    this.#draw(fields);
    this.#probeLater();
    const first = fields.find((field) => field.widget === "object" && field.index >= given.length);
    if (first && pointing && !order) this.#widgets[first.index].choose();
    else (this.#widgets[0]?.focus ?? (() => this.#parts.give.focus()))();
  }

  close() {
    this.#serial++;
    if (this.#open) {
      this.#page.stopPicking();
      // Who was in the form goes on where it was opened, not at the top of the page.
      if (this.#place.contains(document.activeElement)) document.querySelector(`.offer[data-kind="${this.#open.kind.id}"]`)?.focus();
    }
    this.#open = null;
    this.#pointing = -1;
    this.#widgets = [];
    this.#parts = null; // until the next one is drawn there is nothing to look at again
    show(this.#place);
  }

  /** Something has changed on the server: look again whether the order would still be accepted. */
  recheck() {
    if (this.#open && this.#parts) this.#probeLater();
  }

  /** Where in the queue the order is to be. @returns {import("../core/giving.js").Place} */
  get #position() {
    const { order } = this.#open;
    return order ? { slot: order.slot, replaces: true } : this.#parts ? { slot: Number(this.#parts.where.value) } : {};
  }

  get #universe() {
    return this.#page.player.universe;
  }

  #parts = null;
  /** The list of which the player was told that it is empty, -1: none. */
  #warned = -1;

  #draw(fields) {
    const { thing, kind, order } = this.#open;
    this.#fields = fields;
    const title = h("h3", { id: "order-title", text: `${this.#universe.orderName(kind)}: ${this.#universe.objectName(thing.id)}` });
    const rows = fields.map((field) => this.#row(field));
    const verdict = h("p", { class: "verdict", id: "verdict", role: "status" });
    const count = this.#page.player.queued(thing.queue).length;
    const where = h("select", { id: "slot", onchange: () => this.#probeLater() }, h("option", { value: "-1", text: WORDS.orderForm.atTheEnd }));
    for (let slot = 0; slot < count; slot++) where.append(h("option", { value: String(slot), text: WORDS.orderForm.before({ number: slot + 1 }) }));
    const give = h("button", { type: "submit", class: "primary", id: "give", text: order ? WORDS.orderForm.change : WORDS.orderForm.give });
    const form = h(
      "form",
      { class: "order", id: "order-form", "aria-labelledby": "order-title", novalidate: true, onsubmit: (event) => this.#submit(event) },
      title,
      kind.description && h("p", { class: "hint", text: kind.description }),
      this.#page.reading.links("orders", [{ names: [kind.name, this.#universe.orderName(kind)], label: this.#universe.orderName(kind) }]),
      rows.map((row) => row.element),
      !order && count > 0 && h("div", { class: "row" }, h("label", { for: "slot", text: WORDS.orderForm.where }), where),
      verdict,
      h("div", { class: "row" }, give, h("button", { type: "button", onclick: () => this.close(), text: WORDS.orderForm.cancel })),
    );
    this.#parts = { form, rows, verdict, give, where };
    show(this.#place, form);
    reveal(form);
  }

  #row(field) {
    const id = `parameter-${field.index}`;
    const problem = h("p", { class: "problem", id: `${id}-problem` });
    const holder = h("div", { class: "widget" });
    const isGroup = field.options !== undefined;
    const label = isGroup ? h("span", { class: "label", id: `${id}-label`, text: field.label }) : h("label", { class: "label", for: id, text: field.label });
    const hint = field.description && h("span", { class: "hint", text: descriptionWords(field) });
    const row = { element: h("div", { class: "parameter" }, label, hint, holder, problem), holder, problem, id };
    this.#put(row, field);
    return row;
  }

  #put(row, field) {
    const widget = widgetFor(field, {
      universe: this.#universe,
      id: row.id,
      pick: (kinds) => this.#pick(kinds, field),
      changed: (why) => this.#changed(field.index, why),
      showAll: () => this.#showAll(field.index),
    });
    this.#widgets[field.index] = widget;
    show(row.holder, widget.element);
    const control = row.holder.querySelector(`#${row.id}`) ?? widget.element;
    control.setAttribute("aria-describedby", row.problem.id);
    if (field.options) control.setAttribute("aria-labelledby", `${row.id}-label`);
  }

  async #pick(kinds, { index, name, label }) {
    const serial = this.#serial;
    this.#pointing = index;
    const picked = await this.#page.pick(kinds, `${this.#universe.orderName(this.#open.kind)}, ${label}`, name, this.#looked(index));
    if (serial !== this.#serial) return null;
    if (!this.#page.map.isPicking) {
      this.#pointing = -1;
      reveal(this.#parts.form);
    }
    return picked;
  }

  /** What the server takes for a parameter after the values before it; null where that cannot be told. */
  #looked(index) {
    const { thing, kind, order } = this.#open;
    const before = this.#values.slice(0, index);
    if (order || before.includes(undefined)) return null;
    const { legal } = this.#page;
    return { values: legal.values(thing.id, kind.id, before), why: (id) => legal.why(thing.id, kind.id, [...before, id]) };
  }

  /** Leave in the drop-down lists what the server takes, unless the player wants to see all. */
  async #narrow() {
    const serial = this.#serial;
    const fields = this.#fields.filter((field) => field.widget === "object" || field.widget === "player");
    for (const { index } of fields) {
      const found = (await this.#looked(index)?.values) ?? null;
      if (serial !== this.#serial) return;
      const field = this.#fields[index];
      const legal = found && !found.free ? found.values : null;
      if (String(field.legal ?? null) === String(legal)) continue;
      this.#fields[index] = { ...field, legal };
      this.#replace(index);
    }
  }

  /** Make a widget anew, with the value and the focus that it has. */
  #replace(index) {
    const row = this.#parts.rows[index];
    const { activeElement } = document;
    const hasFocus = row.holder.contains(activeElement);
    this.#put(row, { ...this.#fields[index], value: this.#widgets[index].value() });
    // Whoever is on the button goes on there: in the list the next letter would choose something.
    if (hasFocus && activeElement.matches(".pick")) row.holder.querySelector(".pick").focus();
    else if (hasFocus) this.#widgets[index].focus();
    if (this.#pointing === index) this.#widgets[index].choose();
  }

  #showAll(index) {
    this.#fields[index] = { ...this.#fields[index], isWhole: true };
    this.#replace(index);
    this.#widgets[index].focus();
  }

  /** The parameter that is being pointed at, -1: none. */
  #pointing = -1;

  #changed(index, why) {
    const next = why?.picked && this.#fields.find((field) => field.index > index && field.widget === "object" && this.#widgets[field.index].value() === undefined);
    if (next) this.#widgets[next.index].choose();
    const key = `${this.#open.kind.id}/${index}`;
    if (why?.option !== undefined) {
      this.#last = { index, option: why.option };
      if (single.has(key)) this.#widgets[index].only(why.option);
    }
    say(this.#parts.rows[index].problem, "");
    this.#probeLater();
  }

  #last = null;

  get #values() {
    return this.#fields.map((field) => this.#widgets[field.index].value());
  }

  /** Ask the server what it would say, and show that. */
  async #probe() {
    if (!this.#open || !this.#parts) return;
    this.#narrow();
    const serial = this.#serial;
    const asked = (this.#asked = {});
    const { thing, kind } = this.#open;
    const isStill = () => serial === this.#serial && asked === this.#asked;
    if (!this.#universe.objects.has(thing.id) || !this.#universe.queues.has(thing.queue)) {
      this.#say("bad", WORDS.orderForm.objectGone);
      return;
    }
    const values = this.#values;
    const faults = problems(this.#fields, values, this.#universe);
    if (faults.length) {
      const missing = faults.filter(({ parameter }) => values[parameter] === undefined).map(({ parameter }) => this.#fields[parameter].label);
      if (missing.length) this.#say("", WORDS.orderForm.missing({ names: missing }));
      else this.#blame(faults[0].parameter, faults[0].text);
      if (missing.length && this.#fields.some((field) => !field.known)) {
        // What is filled in already may be enough for the server to tell what the rest can be.
        const fields = await this.#page.player.fields(thing.queue, kind.id, values, this.#position).catch(() => []);
        if (isStill()) this.#learn(fields.filter((field) => field.known));
      }
      return;
    }
    try {
      const order = await this.#page.player.probe(thing.queue, kind.id, values, this.#position);
      if (!isStill()) return;
      this.#learn(fieldsOf(kind, order, this.#universe, values));
      const empty = this.#fields.filter((field) => field.options?.length && !this.#widgets[field.index].value().size);
      for (const row of this.#parts.rows) say(row.problem, "");
      if (empty.length) this.#say("", WORDS.orderForm.missing({ names: empty.map((field) => field.label) }));
      else this.#say("good", WORDS.orderForm.accepted({ turns: order.turns }));
    } catch (error) {
      if (!isStill()) return;
      if (error instanceof Refusal && (await this.#chooseOne(kind, values))) return;
      if (isStill()) this.#refused(error);
    }
  }

  #asked = null;

  /** If two choices of a list are refused and the newer one alone is accepted, the list takes one: leave that one. */
  async #chooseOne(kind, values) {
    const { index, option } = this.#last ?? {};
    const value = values[index];
    if (!(value instanceof Map) || value.size < 2 || !value.has(option)) return false;
    const alone = values.with(index, new Map([[option, value.get(option)]]));
    const serial = this.#serial;
    try {
      await this.#page.player.probe(this.#open.thing.queue, kind.id, alone, this.#position);
    } catch {
      return false;
    }
    single.add(`${kind.id}/${index}`);
    if (serial !== this.#serial) return true;
    this.#widgets[index].only(option);
    this.#probeLater();
    return true;
  }

  /** The server has told what can be chosen now. */
  #learn(fields) {
    for (const told of fields) {
      const before = this.#fields[told.index];
      const field = { ...told, legal: before.legal, isWhole: before.isWhole };
      this.#fields[field.index] = field;
      if (field.options && JSON.stringify(field.options) !== JSON.stringify(before.options)) this.#put(this.#parts.rows[field.index], field);
      else if (field.widget === "range" && (field.min !== before.min || field.max !== before.max)) this.#put(this.#parts.rows[field.index], field);
      else if (field.widget === "object" && String(field.kinds) !== String(before.kinds)) {
        this.#put(this.#parts.rows[field.index], field);
        // The element that was to take what is picked is another one now.
        if (this.#pointing === field.index) this.#widgets[field.index].choose();
      }
    }
  }

  #say(kind, text) {
    this.#parts.verdict.className = `verdict ${kind}`;
    say(this.#parts.verdict, text);
  }

  #blame(parameter, text) {
    for (const row of this.#parts.rows) say(row.problem, "");
    const row = this.#parts.rows[parameter];
    if (row) say(row.problem, text);
    this.#say("bad", row ? WORDS.orderForm.notYet({ name: this.#fields[parameter].label }) : text);
    return row;
  }

  #refused(error) {
    return this.#blame(error.parameter ?? -1, sentence(error));
  }

  async #submit(event) {
    event.preventDefault();
    const { thing, kind, order } = this.#open;
    const values = this.#values;
    const [fault] = problems(this.#fields, values, this.#universe);
    if (fault) {
      this.#blame(fault.parameter, fault.text);
      this.#widgets[fault.parameter].focus();
      return;
    }
    const empty = this.#fields.find((field) => field.type === KIND.LIST && field.options?.length && !values[field.index].size);
    if (empty && this.#warned !== empty.index) {
      this.#warned = empty.index;
      this.#blame(empty.index, WORDS.orderForm.nothingChosen({ name: empty.label }));
      this.#widgets[empty.index].focus();
      return;
    }
    const serial = this.#serial;
    const { give, where } = this.#parts;
    give.disabled = true;
    this.#say("", WORDS.orderForm.sending);
    try {
      const { player } = this.#page;
      if (order) await player.replaceOrder(thing.queue, order.slot, kind.id, values);
      else await player.insertOrder(thing.queue, kind.id, values, Number(where.value));
      note(WORDS.orderForm.done({ order: this.#universe.orderName(kind), isChange: Boolean(order) }), "good");
      give.disabled = false;
      if (serial === this.#serial) this.close();
      this.#page.ordered();
    } catch (error) {
      if (serial !== this.#serial) {
        note(`${this.#universe.orderName(kind)}: ${sentence(error)}`, "bad");
        return;
      }
      give.disabled = false;
      const row = this.#refused(error);
      if (row) this.#widgets[error.parameter].focus();
      if (error instanceof ConnectionLost) note(sentence(error), "bad");
    }
  }
}

/** The buttons of the order kinds that an object takes. */
export function offerButtons(universe, kinds, choose) {
  return kinds.map((kind) =>
    h("button", { type: "button", class: "offer", title: kind.description, "data-kind": kind.id, onclick: (event) => choose(kind, event.detail > 0), text: universe.orderName(kind) }),
  );
}
