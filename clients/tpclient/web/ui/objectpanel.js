// The panel of one object: owner, values, contents and orders.

import { capital } from "../core/appearance.js";
import { sameObjects } from "../core/changes.js";
import { NOBODY, REFERENCE, ROOT } from "../core/objects.js";
import { orderWords, sameOrder } from "../core/orders.js";
import { WORDS } from "../words.js";
import { $, h, show } from "./dom.js";
import { takers } from "./lists.js";
import { isPiece, playerClass, thingWords } from "./marks.js";
import { OrderForm, offerButtons } from "./orderform.js";
import { lookOfThing, meaningOf } from "./pictures.js";
import { lookPicture } from "./shapes.js";
import { note, sentence, tell } from "./toasts.js";

/** The resource by which old clients find the place that is shown first; it tells people nothing. */
const HOME_PLANET = "Home Planet";
const MOST_LINKS = 60;
/** The columns of amounts; those with nothing in them are left out. */
const COLUMNS = [
  { key: "stored", title: WORDS.object.stored },
  { key: "minable", title: WORDS.object.minable },
  { key: "unavailable", title: WORDS.object.unavailable },
];
const STATES = WORDS.object.states;

export class ObjectPanel {
  #page;
  #form;
  #parts = { offers: h("div", { class: "offers" }), form: h("div"), queue: h("div") };
  /** The selected object, null if there is none. @type {number|null} */
  id = null;
  #shown = null;
  /** What is said of a piece that is gone, above the one that is shown in its place. */
  #gone = "";
  #key = "";
  /** The objects that are shown, null if none is. */
  #seen = null;
  #busy = false;

  /** @param {Object} page `player`, `select(id)`, `pick`, `stopPicking`, `queueChanged`, `ordered`, `reading`, `map` */
  constructor(page) {
    this.#page = page;
    this.#form = new OrderForm(this.#parts.form, page);
    $("orders").append(this.#parts.offers, page.acting.buttons, this.#parts.form, this.#parts.queue);
  }

  get form() {
    return this.#form;
  }

  /** Show another object, or none. A half-written order of another object is put away. */
  select(id) {
    if (this.#form.isOpen && this.#form.carrier !== id) this.#form.close();
    if (id !== this.id) this.#shown = null;
    this.id = id;
    this.#gone = "";
    this.update();
  }

  /** Show the object as it is now, or the next piece that takes orders if it is no more. */
  update() {
    const { universe } = this.#page.player;
    const next = this.#next(universe);
    if (next) {
      const gone = WORDS.object.goneNext({ name: this.#shown });
      this.#page.select(next.id, false);
      this.#gone = gone;
      this.#seen = null;
      tell(gone);
    }
    const thing = this.id === null ? null : universe.objects.get(this.id);
    this.#showObject(universe, thing);
    this.#showOrders(universe, thing);
    this.#form.recheck();
  }

  /** What to go on to from a piece that is gone; nothing while an order of it is being written. */
  #next(universe) {
    if (this.id === null || this.#shown === null || this.#form.isOpen || universe.objects.has(this.id)) return null;
    const things = takers(this.#page);
    return things.find((thing) => thing.id > this.id) ?? things[0] ?? null;
  }

  #showObject(universe, thing) {
    if (!thing) this.#seen = null;
    if (thing) {
      this.#shown = universe.objectName(thing.id);
      if (!this.#isNew(universe, thing)) return;
      show($("object"), this.#head(universe, thing));
      show($("details"), this.#details(universe, thing));
    } else if (this.id !== null && this.#shown !== null) {
      const text = WORDS.object.gone({ name: this.#shown });
      show($("object"), h("p", { class: "problem", text }));
      show($("details"));
    } else {
      show($("object"), h("p", { class: "hint", text: WORDS.object.none }));
      show($("details"));
    }
  }

  /** Whether anything of what is shown is not as it was; drawing it again would take the focus away. */
  #isNew(universe, thing) {
    const icon = this.#page.map.map?.iconOf.get(thing.id);
    const seen = [thing, ...universe.children(thing.id), ...universe.ancestors(thing.id), ...(icon === undefined ? [] : this.#page.map.members(icon))];
    const rules = this.#page.rules?.ruleset ?? "";
    const key = `${rules} ${universe.isNamedAsStored}`;
    if (key === this.#key && sameObjects(seen, this.#seen)) return false;
    this.#key = key;
    this.#seen = seen;
    return true;
  }

  #head(universe, thing) {
    const look = lookOfThing(universe, thing);
    const owner = thing.owner === NOBODY ? null : h("span", { class: `tag ${playerClass(universe, thing.owner)}` }, h("b", { text: String(thing.owner) }), thing.owner === universe.me ? WORDS.common.yours : universe.playerName(thing.owner));
    const kind = universe.objectKinds.get(thing.role);
    const about = thing.description || kind?.description || "";
    const kindName = capital(universe.kindName(thing.role) || thing.kind);
    const way = universe.ancestors(thing.id).filter((one) => one.id !== ROOT).reverse();
    return [
      this.#gone && h("p", { class: "hint", text: this.#gone }),
      way.length > 0 && h("nav", { "aria-label": WORDS.object.way, class: "way" }, way.map((one) => this.#link(universe, one))),
      h("h2", { class: "object-title" }, lookPicture(look), h("span", { text: universe.objectName(thing.id) }), owner),
      h("p", { class: "hint", text: WORDS.object.kind({ kind: kindName, about: about === thing.kind ? "" : about }) }),
      this.#rules(universe, thing),
      this.#here(universe, thing),
    ];
  }

  /** Where the rules tell of it. */
  #rules(universe, thing) {
    const designs = [...thing.ships.keys()].map((id) => ({ names: [universe.designs.get(id)?.name ?? "", universe.designName(id)], label: universe.designName(id) }));
    const kind = universe.kindName(thing.role) || thing.kind;
    const links = this.#page.reading.links("pieces", [...designs, { names: [thing.kind, kind], label: kind }]);
    return links.length > 0 && h("p", {}, links);
  }

  #details(universe, thing) {
    const isOpen = $("details").querySelector("details.values")?.open ?? false;
    return [this.#ships(universe, thing), this.#resources(universe, thing), this.#values(universe, thing, isOpen), this.#contents(universe, thing)];
  }

  #link(universe, thing) {
    return h("button", { type: "button", class: "link", "data-object": thing.id, onclick: () => this.#page.select(thing.id) }, lookPicture(lookOfThing(universe, thing)), thingWords(universe, thing));
  }

  /** What else stands at the same place. */
  #here(universe, thing) {
    const icon = this.#page.map.map?.iconOf.get(thing.id);
    if (icon === undefined) return null;
    const things = this.#page.map.members(icon);
    if (things.length < 2 || things.length > 40) return null;
    const tags = [...things].sort((one, other) => isPiece(other) - isPiece(one)).map((one) => {
      const current = one.id === thing.id;
      const whose = one.owner === NOBODY ? "" : ` ${playerClass(universe, one.owner)}`;
      return h(
        "button",
        { type: "button", class: `chip${whose}`, "data-object": one.id, "aria-pressed": String(current), onclick: () => this.#page.select(one.id) },
        lookPicture(lookOfThing(universe, one)),
        thingWords(universe, one),
        one.owner !== NOBODY && h("b", { text: String(one.owner) }),
      );
    });
    return h("div", { class: "here", role: "group", "aria-label": WORDS.object.here }, tags);
  }

  #ships(universe, thing) {
    if (!thing.ships.size) return null;
    const rows = [...thing.ships].map(([id, number]) => h("li", {}, lookPicture(lookOfThing(universe, { ships: new Map([[id, 1]]), kind: "", name: "" })), capital(universe.shipWords({ ships: new Map([[id, number]]) })) || WORDS.object.unknownDesigns({ count: number }), h("span", { class: "hint", text: universe.designs.get(id)?.description ?? "" })));
    return h("ul", { class: "ships" }, rows);
  }

  #resources(universe, thing) {
    const rows = [...thing.resources].filter(([id]) => this.#page.map.isOld || universe.resources.get(id)?.name !== HOME_PLANET);
    if (!rows.length) return null;
    const columns = COLUMNS.filter(({ key }) => key === "stored" || rows.some(([, amount]) => amount[key]));
    const body = rows.map(([id, amount]) => {
      const one = universe.resources.get(id);
      const look = universe.words.resources.get(id);
      if (look?.words) return h("tr", {}, h("th", { scope: "row", title: one?.description || null, text: capital(universe.resourceName(id, amount.total)) }), columns.map(({ key }) => amountCell(look, amount[key], key)));
      const unit = (amount.total === 1 ? one?.unit : one?.units) ?? "";
      return h(
        "tr",
        {},
        h("th", { scope: "row", title: one?.description || null }, universe.resourceName(id, amount.total), unit && unit.toLowerCase() !== "unit" && unit.toLowerCase() !== "units" && !universe.resourceName(id, amount.total).toLowerCase().includes(unit.toLowerCase()) && h("span", { class: "hint", text: ` (${unit})` })),
        columns.map(({ key }) => h("td", { class: amount[key] ? "" : "zero", text: String(amount[key]) })),
      );
    });
    const head = h("tr", {}, h("td"), columns.map(({ title }) => h("th", { scope: "col", text: title })));
    return h("table", { class: "resources" }, h("caption", { text: WORDS.object.resources }), h("thead", {}, head), h("tbody", {}, body));
  }

  /** All groups that the object's description names, but what is shown elsewhere. */
  #values(universe, thing, isOpen) {
    const groups = thing.groups.map(({ name, description, values }) => {
      const rows = values.map((value) => [value, this.#words(universe, value)]).filter(([, words]) => words !== null);
      return rows.length > 0 && h("div", { class: "group" }, h("h3", { title: description || null, text: name }), h("dl", {}, rows.map(([value, words]) => [h("dt", { title: value.description || null, text: value.name }), h("dd", {}, words)])));
    });
    return h("details", { class: "more values", open: isOpen }, h("summary", { text: WORDS.object.values }), groups.filter(Boolean));
  }

  #words(universe, { form, value, description }) {
    if (form === "integer") {
      const meaning = meaningOf(description, value);
      return meaning || String(value);
    }
    if (form === "position") return value.join(", ");
    if (form === "velocity" || form === "acceleration") return value.some(Boolean) ? value.join(", ") : null;
    if (form === "size" || form === "boundPosition" || form === "media") return String(value);
    if (form === "reference") return this.#reference(universe, value);
    return null;
  }

  #reference(universe, { type, id }) {
    if (type === REFERENCE.PLAYER) return universe.playerName(id > 0 ? id : NOBODY);
    if (type === REFERENCE.OBJECT) return universe.objects.has(id) ? this.#link(universe, universe.objects.get(id)) : WORDS.object.unseen;
    const table = { [REFERENCE.RESOURCE]: universe.resources, [REFERENCE.DESIGN]: universe.designs, [REFERENCE.ORDER_KIND]: universe.orderKinds }[type];
    const called = { [REFERENCE.RESOURCE]: () => universe.resourceName(id), [REFERENCE.DESIGN]: () => universe.designName(id), [REFERENCE.ORDER_KIND]: () => universe.orderName(table.get(id)) }[type];
    return table?.has(id) ? called() : WORDS.object.undescribed;
  }

  #contents(universe, thing) {
    const inside = universe.children(thing.id);
    if (!inside.length) return null;
    const links = inside.slice(0, MOST_LINKS).map((one) => h("li", {}, this.#link(universe, one)));
    const rest = inside.length - MOST_LINKS;
    return h("details", { class: "more", open: inside.length < 13 }, h("summary", { text: WORDS.object.contains({ count: inside.length }) }), h("ul", { class: "links" }, links, rest > 0 && h("li", { class: "hint", text: WORDS.object.moreInList({ count: rest }) })));
  }

  // --- orders

  #showOrders(universe, thing) {
    const queue = thing && universe.queueOf(thing);
    const offers = queue ? universe.offers(thing) : [];
    // Of a piece without orders of its own: those that another carries for it.
    const named = thing && !queue ? this.#page.acting.named(thing) : [];
    const { offers: place } = this.#parts;
    const key = queue ? `${thing.id}:${offers.map((kind) => kind.id)}` : named.length ? `${thing.id}:${named.map(({ on, kind }) => `${on} ${kind.id}`)}` : "";
    const drawn = `${key} ${universe.isNamedAsStored}`;
    if (place.dataset.key !== drawn) {
      place.dataset.key = drawn;
      const open = ({ on, kind, values }, pointing) => this.#form.open(universe.objects.get(on), kind, null, pointing, values, thing.id);
      show(place, (queue || named.length > 0) && h("h3", { text: WORDS.object.orders }), named.map((draft) => offerButtons(universe, [draft.kind], (_, pointing) => open(draft, pointing))).flat(), offerButtons(universe, offers, (kind, pointing) => this.#form.open(universe.objects.get(thing.id) ?? thing, kind, null, pointing)), queue && !offers.length && h("p", { class: "hint", text: WORDS.object.noOrdersNow }));
    }
    this.updateQueue();
  }

  /** Show what the selected object can be ordered as it is now. */
  updateOrders() {
    const { universe } = this.#page.player;
    this.#showOrders(universe, this.id === null ? null : universe.objects.get(this.id));
  }

  /** Show the orders of the selected object, or of what carries them for it, as they are now. */
  updateQueue() {
    const { universe } = this.#page.player;
    const selected = universe.objects.get(this.id);
    const thing = this.#page.acting.carrierOf(selected) ?? selected;
    const queue = thing && universe.queueOf(thing);
    const orders = queue ? this.#page.player.queued(thing.queue) : [];
    const focused = document.activeElement?.dataset?.slotKey;
    show(this.#parts.queue, queue && (orders.length ? h("ol", { class: "queue", "aria-label": WORDS.object.queue }, orders.map((one, at) => this.#entry(universe, thing, one, at, orders.length))) : offersNothing(universe.offers(thing))));
    if (focused) this.#parts.queue.querySelector(`[data-slot-key="${focused}"]`)?.focus();
  }

  /** Change a queue if the order is still in its slot: one change after the other, for slots move with each. */
  async #change(order, call) {
    const now = this.#page.player.universe.orders.get(order.queue)?.[order.slot];
    if (!now || !sameOrder(now, order)) return note(WORDS.object.queueChanged, "bad");
    this.#busy = true;
    this.updateQueue();
    try {
      await call();
    } catch (error) {
      note(sentence(error), "bad");
    }
    this.#busy = false;
    this.#page.queueChanged();
  }

  #entry(universe, thing, { order, state }, at, count) {
    const { player } = this.#page;
    const words = orderWords(order, universe);
    const button = (key, label, text, call, disabled = false) =>
      h("button", { type: "button", "aria-label": WORDS.object.changeOrder({ change: label, order: words }), title: label, "data-slot-key": `${key}-${at}`, disabled: disabled || this.#busy || state !== "confirmed", onclick: () => this.#change(order, call), text });
    const { slot } = order;
    const turns = WORDS.object.turns({ count: order.turns });
    const hint = order.turns > 1 ? (words.includes(turns) ? "" : turns) : universe.words.orders.get(order.kind)?.stays ? WORDS.object.stays : "";
    return h(
      "li",
      { class: state },
      h("span", { class: "words" }, words, state !== "confirmed" && h("em", { text: ` ${STATES[state]}` }), hint && h("span", { class: "hint", text: ` ${hint}` })),
      h(
        "span",
        { class: "tools" },
        button("earlier", WORDS.object.earlier, "↑", () => player.moveOrder(thing.queue, slot, slot - 1), at === 0),
        button("later", WORDS.object.later, "↓", () => player.moveOrder(thing.queue, slot, slot + 1), at === count - 1),
        button("change", WORDS.object.change, "✎", async () => this.#form.open(thing, universe.orderKinds.get(order.kind), order)),
        button("remove", WORDS.object.remove, "×", () => player.removeOrder(thing.queue, slot)),
      ),
    );
  }
}

/** A cell of the table of amounts; where the number tells people nothing, whether there is any. */
function amountCell({ each }, amount, key) {
  const words = each ? String(amount) : amount ? WORDS.common.yes : key === "stored" ? WORDS.common.no : "";
  return h("td", { class: amount ? "" : "zero", text: words });
}

const offersNothing = (offers) => (offers.length ? h("p", { class: "hint", text: WORDS.object.noneQueued }) : null);
