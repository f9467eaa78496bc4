// Ordering by pointing: a piece, its target, then missing parameters.
// The server lists pieces, targets and values (core/legal.js). If it does not, the player uses the order form.

import { KIND, orderWords, valueWords } from "../core/orders.js";
import { plain } from "../core/rules.js";
import { paths } from "../core/views.js";
import { WORDS } from "../words.js";
import { $, h, settled, show } from "./dom.js";
import { Lights } from "./lights.js";
import { distinctNames, isPiece, playerClass } from "./marks.js";
import { Popup } from "./popup.js";
import { note, sentence, tell } from "./toasts.js";

/** Milliseconds for which outlines stay while what is legal is asked anew: they would flicker at each order. */
const DARK_AFTER = 400;
/** Milliseconds for which the pointer rests on a piece before its targets are asked for, so that a click finds them. */
const REST = 60;
/** So many values are buttons; of more, numbers are typed, and lists are left to the form. */
const MOST_BUTTONS = 16;
const CHOICES = new Set([KIND.LIST, KIND.QUANTITY_LIST, KIND.PLAYER, KIND.RANGE, KIND.TIME]);

/**
 * An order as far as it is chosen: `on` carries it, `values` are its first ones.
 * @typedef {{on: number, kind: import("../core/orders.js").OrderKind, values: any[]}} Draft
 */

export class Acting {
  /** Buttons of the orders of the selected piece that need no target. */
  buttons = h("div", { class: "quick" });

  #page;
  #legal;
  #lights;
  #popup = new Popup();
  /** The selected piece, and whether the player chose it, so that clicks are meant for its orders. */
  #piece = null;
  #isArmed = false;
  /** Where the next click leads: drafts whose next value is an object. @type {Draft[]} */
  #drafts = [];
  /** Whether `#drafts` is one order that was begun, not all that the piece can be ordered. */
  #isBegun = false;
  /** By place: what can be chosen there. @type {Map<number, {draft: Draft, value: number}[]>} */
  #targets = new Map();
  #ready = Promise.resolve();
  /** Counts what was asked for: answers to an older question are of no use. */
  #serial = 0;
  /** The place that was refused last: a second click there means the place itself. */
  #refused = null;
  #turn = -1;
  /** The piece on which the pointer rests. */
  #pointed = null;
  #askAhead = settled((place) => this.#prepare(this.#page.best(place)), REST);
  #darkLater = settled(() => this.#legal.isKnown || this.#lights.acting(new Set(), false), DARK_AFTER);

  /** @param {Object} page `player`, `legal`, `map`, `meant(place)`, `best(place)`, `select(id)`, `openForm(on, kind, values)`, `queueChanged()`, `ordered()` */
  constructor(page) {
    this.#page = page;
    this.#legal = page.legal;
    this.#lights = new Lights(page.map);
    page.map.explain = (id) => this.#explain(id);
    page.map.addEventListener("moved", () => this.#popup.place());
    page.map.addEventListener("drawn", () => this.#drawOrders());
    page.map.isDraggable = ({ things, pieces }) => !page.past.isShown && [pieces.length ? pieces : things].flat().some((thing) => this.#legal.acting.has(thing.id));
    page.map.addEventListener("point", ({ detail }) => this.#askAhead(detail));
    page.map.addEventListener("press", ({ detail }) => this.#prepare(page.best(detail)));
    page.map.addEventListener("drag", ({ detail }) => page.meant(detail));
    page.map.addEventListener("drop", ({ detail }) => this.clicked(detail));
    page.legal.addEventListener("legal", () => this.#refresh());
  }

  get #universe() {
    return this.#page.player.universe;
  }

  /** What the order of a draft is called. @param {Draft} draft */
  #name({ kind }) {
    return this.#universe.orderName(kind);
  }

  // --- pieces

  /** Another piece is selected. @param {boolean} isChosen by the player */
  choose(id, isChosen) {
    this.#popup.close();
    this.#refused = null;
    this.#isArmed = isChosen;
    this.#piece = id;
    this.#begin();
  }

  /** What carries the orders of a piece that carries none itself; undefined if nothing does. */
  carrierOf(thing) {
    if (!thing || thing.queue) return undefined;
    const [first] = this.#legal.naming(thing.id);
    if (first) return this.#universe.objects.get(first.on);
    const isNamed = ({ parameters, values }) => parameters[0]?.object && values[0] === thing.id;
    const queue = [...this.#universe.orders].find(([, orders]) => orders.some(isNamed))?.[0];
    return queue === undefined ? undefined : this.#universe.carrier(queue);
  }

  /** The orders that others carry and that name a piece first. @returns {Draft[]} */
  named(thing) {
    const { orderKinds } = this.#universe;
    return this.#legal.naming(thing.id).map(({ on, kind }) => ({ on, kind: orderKinds.get(kind), values: [thing.id] })).filter((draft) => draft.kind);
  }

  /** All orders of a piece, with what is known of them. @returns {Draft[]} */
  #all(id) {
    const thing = this.#universe.objects.get(id);
    if (!thing) return [];
    const { orderKinds } = this.#universe;
    const own = this.#legal.of(thing.id).map(({ on, kind }) => ({ on, kind: orderKinds.get(kind), values: [] })).filter((draft) => draft.kind);
    return thing.queue ? own : [...own, ...this.named(thing)];
  }

  /** What is legal has been found out, or is unknown again. */
  #refresh() {
    const { player } = this.#page;
    if (!this.#legal.isKnown) {
      this.#popup.close();
      this.#end();
      this.#darkLater();
      return;
    }
    this.#lights.acting(new Set(this.#places(this.#legal.acting)), player.turn !== this.#turn);
    this.#turn = player.turn;
    this.#begin();
  }

  // --- targets

  /** Begin anew with all that the piece can be ordered. */
  #begin() {
    this.#isBegun = false;
    const all = this.#all(this.#piece);
    this.#light(this.#isArmed ? this.#pointing(all) : []);
    this.#showButtons(all);
  }

  /** Nothing is pointed at. */
  #end() {
    this.#isBegun = false;
    this.#light([]);
  }

  /** Ask for the targets of drafts and light them as they come. */
  #light(drafts) {
    const serial = ++this.#serial;
    this.#drafts = drafts;
    this.#targets = new Map();
    this.#drawTargets();
    this.#ready = this.#find(drafts, () => serial === this.#serial).finally(() => {
      if (serial === this.#serial) $("map").removeAttribute("data-asking");
    });
    $("map").toggleAttribute("data-asking", drafts.length > 0); // more targets may come than are lit
  }

  /** Ask for the targets of a piece that is pointed at, and may be chosen next; for no more of it when another one is. */
  async #prepare(id) {
    this.#pointed = id;
    if (this.#page.past.isShown || !this.#legal.acting.has(id)) return;
    const isWanted = () => this.#pointed === id;
    for (const { on, kind, values } of this.#pointing(this.#all(id))) {
      if (isWanted()) await this.#legal.values(on, kind.id, values, { isWanted });
    }
  }

  /** Those orders whose next value is an object. @param {Draft[]} drafts */
  #pointing(drafts) {
    return drafts.filter((draft) => nextType(draft) === KIND.OBJECT);
  }

  /** One order after the other, so that the first targets are there soon, however many there are in all. */
  async #find(drafts, isWanted) {
    for (const draft of drafts) {
      let taken = 0;
      const take = ({ values }) => {
        if (!isWanted()) return;
        const before = this.#targets.size;
        for (; taken < values.length; taken++) this.#addTarget(draft, values[taken]);
        if (this.#targets.size > before) this.#drawTargets();
      };
      const found = await this.#legal.values(draft.on, draft.kind.id, draft.values, { isWanted, part: take });
      if (!isWanted()) return;
      if (found) take(found);
    }
  }

  #addTarget(draft, value) {
    const icon = this.#page.map.map?.iconOf.get(value);
    if (icon === undefined) return;
    if (!this.#targets.has(icon)) this.#targets.set(icon, []);
    this.#targets.get(icon).push({ draft, value });
  }

  #drawTargets() {
    this.#lightPlaces([...this.#targets.keys()]);
  }

  #lightPlaces(places) {
    const { map } = this.#page;
    const lit = new Map(places.map((id) => [id, map.members(id).some(isPiece)]));
    this.#lights.targets(lit, playerClass(this.#universe, this.#universe.me));
  }

  /** Show where what is picked for the form can be; null: nothing. @param {Iterable<number>|null} ids of objects */
  lightPicks(ids) {
    if (!ids) {
      this.#drawTargets();
      return;
    }
    this.#lightPlaces(this.#places(ids));
  }

  /** The places where objects are; none for what is not on the map. @param {Iterable<number>} ids */
  #places(ids) {
    const { map } = this.#page.map;
    return [...ids].map((id) => map?.iconOf.get(id)).filter((icon) => icon !== undefined);
  }

  /** What can be chosen at a place, without what is meant less by a click there. */
  #at(icon) {
    const found = this.#targets.get(icon) ?? [];
    return this.#drafts.flatMap((draft) => {
      const here = found.filter((one) => one.draft === draft);
      const name = plain(draft.kind.parameters[draft.values.length].name);
      // As in picking: what is called as its kind is, or else the place itself.
      const named = here.filter(({ value }) => plain(this.#universe.objects.get(value)?.kind ?? "") === name);
      const place = here.filter(({ value }) => value === icon);
      return named.length ? named : place.length ? place : here;
    });
  }

  /** Those that can act, other than the chosen piece and these. */
  #able(things, excepted = []) {
    return things.filter(({ id }) => this.#legal.acting.has(id) && id !== this.#piece && !excepted.includes(id));
  }

  #explain(icon) {
    if (this.#page.past.isShown) return "";
    const found = this.#at(icon);
    return found.length ? WORDS.mapOrders.click({ orders: [...new Set(found.map(({ draft }) => this.#name(draft)))].slice(0, 4) }) : "";
  }

  /**
   * A place was clicked, or entered by keys.
   * @param {{icon: number, things: Object[], pieces: Object[]}} place
   * @returns {boolean} false: it is not meant for an order
   */
  clicked(place) {
    this.#popup.close();
    if (!this.#drafts.length) return false;
    const isOwn = this.#page.map.map?.iconOf.get(this.#piece) === place.icon;
    if (isOwn && !this.#isBegun && !this.#targets.has(place.icon)) return false;
    this.#decide(place);
    return true;
  }

  async #decide(place) {
    const serial = this.#serial;
    const { icon } = place;
    // A target that has come is one; of all others that is known at the end only.
    if (!this.#targets.has(icon) || this.#drafts.length > 1) await this.#ready;
    if (serial !== this.#serial) return;
    const found = this.#at(icon);
    // What is pointed at may be meant itself, though it is a target as well.
    const pointed = this.#able(place.pieces ?? []);
    const others = [...new Set([...pointed, ...this.#able(this.#page.map.members(icon), found.map(({ value }) => value))])];
    if (!this.#targets.size || (!found.length && (others.length || this.#refused === icon))) {
      this.#refused = null;
      this.#page.meant(place);
    } else if (!found.length) await this.#refuse(place, serial);
    else if (found.length === 1 && !others.length) this.#take(found[0], icon);
    else this.#askWhich(place, found, others);
  }

  /** Say why nothing can be ordered there. What was chosen stays. */
  async #refuse({ icon, things }, serial) {
    const [draft] = this.#drafts;
    const roles = new Set([...this.#targets.values()].flat().map(({ value }) => this.#universe.objects.get(value)?.role));
    const thing = things.find((one) => roles.has(one.role)) ?? things[0];
    const why = (thing && (await this.#legal.why(draft.on, draft.kind.id, [...draft.values, thing.id]))) || WORDS.mapOrders.cannotGo({ order: this.#name(draft), place: this.#universe.objectPhrase(icon) });
    if (serial !== this.#serial) return;
    this.#refused = icon;
    this.tell(icon, WORDS.mapOrders.clickAgain({ why }));
  }

  /** Say a sentence at a place of the map. */
  tell(icon, text) {
    this.#popup.tell(() => this.#page.map.onScreen(icon), text);
    tell(text);
  }

  /** Ask which order is meant, each in its own words; and if one can go to several things there, to which. */
  #askWhich(place, found, others) {
    const { icon } = place;
    const answer = (text, call) => h("button", { type: "button", onclick: () => this.#answered(call), text });
    const kinds = [...new Set(found.map(({ draft }) => draft))];
    const askThing = (ones) => {
      const shown = ones.slice(0, MOST_BUTTONS);
      const names = distinctNames(this.#universe, shown.map(({ value }) => this.#universe.objects.get(value)));
      this.#ask(icon, `${this.#name(ones[0].draft)}:`, shown.map((one, at) => answer(names[at], () => this.#take(one, icon))));
    };
    if (kinds.length === 1 && !others.length) {
      askThing(found);
      return;
    }
    const orders = kinds.map((draft) => {
      const ones = found.filter((one) => one.draft === draft);
      return answer(this.#name(draft), () => (ones.length > 1 ? askThing(ones) : this.#take(ones[0], icon)));
    });
    const names = distinctNames(this.#universe, others);
    const pieces = others.slice(0, 4).map((thing, at) => answer(WORDS.mapOrders.choose({ name: names[at] }), () => this.#page.select(thing.id)));
    this.#ask(icon, `${this.#universe.objectName(icon)}:`, [...orders, ...pieces, !pieces.length && answer(WORDS.mapOrders.lookAtIt, () => this.#page.meant(place))].filter(Boolean));
  }

  #ask(anchor, title, answers) {
    const where = anchor instanceof Element ? () => middle(anchor) : () => this.#page.map.onScreen(anchor);
    this.#page.map.hideTip();
    this.#popup.ask(where, title, answers, () => (anchor instanceof Element && anchor.isConnected ? anchor.focus() : this.#page.map.focus()));
  }

  #answered(call) {
    this.#popup.close();
    call();
  }

  #take({ draft, value }, icon) {
    this.#refused = null;
    this.#goOn({ ...draft, values: [...draft.values, value] }, icon);
  }

  // --- what is still missing

  /** Go on with an order: give it, light the next targets, or ask. @param {number|Element} anchor where to ask */
  async #goOn(draft, anchor) {
    const { parameters } = draft.kind;
    const at = draft.values.length;
    if (at === parameters.length) {
      await this.#give(draft, anchor);
      return;
    }
    if (nextType(draft) === KIND.OBJECT) {
      this.#isBegun = true;
      this.#isArmed = true;
      this.#light([draft]);
      tell(WORDS.mapOrders.chooseOnMap({ order: this.#name(draft), parameter: this.#universe.parameterName(draft.kind, at) }));
      return;
    }
    const serial = this.#serial;
    const found = CHOICES.has(nextType(draft)) ? await this.#legal.values(draft.on, draft.kind.id, draft.values) : null;
    if (serial !== this.#serial) return;
    if (!found || !found.values.length) this.#toForm(draft);
    else if (found.values.length === 1 && !found.free) await this.#goOn({ ...draft, values: [...draft.values, found.values[0]] }, anchor);
    else this.#askValue(draft, found, anchor);
  }

  #askValue(draft, found, anchor) {
    const { kind, values } = draft;
    const field = kind.parameters[values.length];
    const next = (value) => this.#answered(() => this.#goOn({ ...draft, values: [...values, value] }, anchor));
    const isNumber = typeof found.values[0] === "number" && field.type !== KIND.PLAYER;
    const more = h("button", { type: "button", class: "link", onclick: () => this.#answered(() => this.#toForm(draft)), text: WORDS.mapOrders.wholeForm });
    const label = this.#universe.parameterName(kind, values.length);
    const title = `${this.#name(draft)}, ${label}:`;
    if (found.values.length <= MOST_BUTTONS) {
      const buttons = found.values.map((value) => h("button", { type: "button", onclick: () => next(value), text: this.#words(field, found, value) }));
      this.#ask(anchor, title, [...buttons, more]);
    } else if (isNumber) {
      const { min, max } = found;
      const input = h("input", { type: "number", min, max, value: String(found.values[0]), "aria-label": label });
      const give = h("form", { class: "row", onsubmit: (event) => {
        event.preventDefault();
        if (input.value !== "" && Number.isInteger(Number(input.value))) next(Number(input.value));
      } }, input, h("span", { class: "hint", text: WORDS.fields.range({ min, max }) }), h("button", { type: "submit", class: "primary", text: values.length + 1 === kind.parameters.length ? WORDS.mapOrders.give : WORDS.mapOrders.next }));
      this.#ask(anchor, title, [give, more]);
    } else this.#toForm(draft);
  }

  #words(field, found, value) {
    return valueWords({ ...field, value, options: found.options.length ? found.options : undefined }, this.#universe);
  }

  #toForm({ on, kind, values }) {
    this.#page.openForm(on, kind, values);
  }

  // --- giving

  async #give({ on, kind, values }, anchor) {
    const { player } = this.#page;
    const queue = this.#universe.objects.get(on)?.queue;
    if (!queue) return;
    const name = this.#universe.orderName(kind);
    this.#end();
    const doubt = this.#legal.doubt(on, kind, values);
    try {
      await player.insertOrder(queue, kind.id, values);
    } catch (error) {
      note(`${name}: ${sentence(error)}`, "bad");
      if (!(anchor instanceof Element)) this.tell(anchor, sentence(error));
      this.#begin();
      this.#page.queueChanged();
      return;
    }
    const why = await doubt;
    note(WORDS.mapOrders.given({ order: name, why }), why ? "" : "good");
    this.#page.ordered();
  }

  get isAsking() {
    return this.#popup.isOpen;
  }

  /** Escape: one step back. @returns {boolean} whether there was one */
  escape() {
    if (this.#popup.isOpen) this.#popup.close();
    else if (this.#isBegun) this.#begin();
    else if (this.#drafts.length && this.#targets.size) {
      this.#isArmed = false;
      this.#end();
      tell(WORDS.mapOrders.clicksChoose);
    } else return false;
    return true;
  }

  /** Close what is open beside the map. */
  hush() {
    this.#popup.close();
    this.#popup.hush();
  }

  /** Forget all, as before another game. */
  stop() {
    this.hush();
    this.#piece = null;
    this.#turn = -1;
    this.#lights.acting(new Set(), false);
    this.#begin();
  }

  // --- buttons

  /** The orders without a target: of each a row with a button for each value of its first parameter. */
  async #showButtons(all) {
    const serial = (this.#showing = {});
    const isWanted = () => serial === this.#showing;
    await this.#ready; // what is lit has been waited for
    if (!isWanted()) return;
    const rows = await Promise.all(
      all.map(async (draft) => {
        const type = nextType(draft);
        if (type === undefined) return { draft, found: null };
        if (!CHOICES.has(type)) return null;
        const found = await this.#legal.values(draft.on, draft.kind.id, draft.values, { isWanted });
        // Of what there can be many one alone is hardly meant.
        const isMany = found?.free && found.options.some(({ most }) => most !== 1);
        return found && !isMany && found.values.length > 0 && found.values.length <= MOST_BUTTONS ? { draft, found } : null;
      }),
    );
    if (!isWanted()) return;
    const known = rows.filter(Boolean);
    const plainOnes = known.filter(({ found }) => !found);
    const focused = this.buttons.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    const button = (draft, values, text) => h("button", { type: "button", "data-key": `${draft.kind.id}:${text}`, onclick: (event) => this.#goOn({ ...draft, values }, event.currentTarget), text });
    show(
      this.buttons,
      known.length > 0 && h("h3", { text: WORDS.mapOrders.oneClick }),
      plainOnes.length > 0 && h("div", { class: "quick-row", role: "group", "aria-label": WORDS.mapOrders.plainOrders }, plainOnes.map(({ draft }) => button(draft, draft.values, this.#name(draft)))),
      known.filter(({ found }) => found).map(({ draft, found }) => {
        const field = draft.kind.parameters[draft.values.length];
        return h("div", { class: "quick-row", role: "group", "aria-label": this.#name(draft) }, h("span", { class: "hint", text: this.#name(draft) }), found.values.map((value) => button(draft, [...draft.values, value], this.#words(field, found, value))));
      }),
    );
    if (focused) this.buttons.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #showing = null;

  // --- queued orders on the map

  /** Arrows of orders that name a piece and where it goes, and crosses on all that the map shows. */
  #drawOrders() {
    const { map, player } = this.#page;
    if (!map.map) return;
    const { universe } = map;
    // Those of an old turn cannot be taken back.
    const ordersOf = (queue) => (universe === player.universe ? player.queued(queue) : universe.orders.get(queue).map((order) => ({ order, state: "" })));
    const arrows = [];
    const crosses = [];
    const cross = (at, order, state) => at && state === "confirmed" && crosses.push({ at, words: orderWords(order, universe), call: () => this.#takeBack(order) });
    const shown = new Map(paths(map.map, universe).map(({ thing, stops }) => [thing.queue, new Map(stops.map((stop) => [stop.slot, stop]))]));
    for (const queue of universe.orders.keys()) {
      const last = new Map();
      for (const { order, state } of ordersOf(queue)) {
        const stop = shown.get(queue)?.get(order.slot);
        const objects = order.values.filter((_, at) => order.parameters[at].object);
        if (stop) cross(map.stopAt(stop), order, state);
        else if (objects.length === 2) {
          const [piece, target] = objects;
          const from = last.get(piece) ?? this.#spotOf(piece);
          const to = this.#spotOf(target);
          last.set(piece, to);
          if (from && to) arrows.push({ from, to, colour: playerClass(universe, universe.me) });
          cross(to, order, state);
        }
      }
    }
    this.#lights.orders(arrows, crosses);
  }

  #spotOf(id) {
    const icon = this.#page.map.map.iconOf.get(id);
    return icon === undefined ? null : this.#page.map.spot(icon);
  }

  async #takeBack({ queue, slot }) {
    try {
      await this.#page.player.removeOrder(queue, slot);
    } catch (error) {
      note(sentence(error), "bad");
    }
    this.#page.queueChanged();
  }
}

/** The type of the first parameter that is not chosen yet; undefined if all are. */
const nextType = ({ kind, values }) => kind.parameters[values.length]?.type;

function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2, reach: height / 2 };
}
