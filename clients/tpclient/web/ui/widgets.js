// One widget for each type of order parameter.
// A widget is {element, value, focus}. It calls `changed` when the player has changed it. The choices come from the
// server alone.

import { REFERENCE } from "../core/objects.js";
import { NONE, isNone, referenced } from "../core/orders.js";
import { plainCode } from "../core/typed.js";
import { WORDS } from "../words.js";
import { h } from "./dom.js";
import { distinctNames } from "./marks.js";
import { lookOf } from "./pictures.js";
import { lookPicture } from "./shapes.js";

/** A slider is of use for so many steps at most. */
const MOST_STEPS = 200;

/**
 * @typedef {{element: HTMLElement, value: () => *, focus: () => void}} Widget
 * @typedef {{universe: Object, id: string, pick: (kinds: number[]) => Promise<number|null>, changed: (why?: *) => void}} Context
 * `id` is the id for the element that the label is for; `pick` lets the player point at an object; `changed` is told
 * {option} of a list, and {picked: true} after pointing.
 */

/** @param {import("../core/orders.js").Field} field @param {Context} context @returns {Widget} */
export function widgetFor(field, context) {
  const make = WIDGETS[field.widget];
  return make ? make(field, context) : unknown(field);
}

const WIDGETS = {
  object: objectWidget,
  player: playerWidget,
  coordinates: (field, context) => placeWidget(field.label, field.value, context),
  relativeCoordinates: relativeWidget,
  range: rangeWidget,
  time: (field, context) => rangeWidget({ ...field, min: 0, max: field.max || 2 ** 31 - 1, step: 1, value: field.value ?? 1 }, context),
  list: listWidget,
  quantityList: listWidget,
  resourceList: listWidget,
  string: textWidget,
  reference: (field, context) => referenceWidget(field, context, false),
  referenceList: (field, context) => referenceWidget(field, context, true),
};

function unknown(field) {
  return { element: h("p", { class: "problem", text: WORDS.fields.unknown }), value: () => undefined, focus() {} };
}

/** The ids that a list is cut down to, null: to none. */
const kept = ({ legal, isWhole }) => (legal && !isWhole ? new Set(legal) : null);

/** Tells how many choices a list leaves out, with a way to see them. */
function leftOut(only, number, all, showAll) {
  if (!only || !number) return null;
  return h("p", { class: "hint left-out" }, WORDS.fields.leftOut({ count: number }), h("button", { type: "button", class: "link", onclick: showAll, text: WORDS.fields.showAll({ count: all }) }));
}

function objectWidget(field, { universe, id, pick, changed, showAll }) {
  const { value, kinds = [] } = field;
  const only = kept(field);
  const fits = (thing) => !kinds.length || kinds.includes(thing.role);
  const things = universe.where((thing) => (only ? only.has(thing.id) : fits(thing)));
  const rest = only ? universe.where((thing) => fits(thing) && !only.has(thing.id)).length : 0;
  const names = distinctNames(universe, things).map((name, at) => (isNone(kinds, things[at].id) ? NONE : name));
  const select = h("select", { id, onchange: () => changed() }, h("option", { value: "", text: things.length ? WORDS.fields.choose : WORDS.fields.thereIsNone }));
  select.append(...things.map((thing, at) => h("option", { value: String(thing.id), text: names[at] })));
  select.value = value === undefined ? "" : String(value);
  if (value !== undefined && select.selectedIndex < 0) {
    const words = only ? WORDS.fields.refused : WORDS.fields.impossible;
    select.append(h("option", { value: String(value), text: words({ name: universe.objectName(value) }) }));
    select.value = String(value);
  }
  const choose = async () => {
    const picked = await pick(kinds);
    if (picked === null) return;
    select.value = String(picked);
    if (select.selectedIndex < 0) select.append(h("option", { value: String(picked), selected: true, text: universe.objectName(picked) }));
    changed({ picked: true });
  };
  const button = h("button", { type: "button", class: "pick", onclick: choose, text: WORDS.fields.pickOnMap });
  return {
    element: h("div", { class: "row" }, select, button, leftOut(only, rest, rest + things.length, showAll)),
    value: () => (select.value === "" ? undefined : Number(select.value)),
    focus: () => select.focus(),
    choose,
  };
}

function playerWidget(field, { universe, id, changed, showAll }) {
  const only = kept(field);
  const players = [...universe.players.values()].filter((player) => !only || only.has(player.id) || player.id === field.value);
  const select = h("select", { id, onchange: () => changed() }, h("option", { value: "", text: WORDS.fields.choose }));
  for (const player of players) {
    select.append(h("option", { value: String(player.id), text: player.id === universe.me ? WORDS.common.you({ name: player.name }) : player.name }));
  }
  select.value = field.value ? String(field.value) : "";
  const element = h("div", {}, select, leftOut(only, universe.players.size - players.length, universe.players.size, showAll));
  return { element, value: () => (select.value === "" ? undefined : Number(select.value)), focus: () => select.focus() };
}

/** What was typed as a whole number: a BigInt where a Number would not be exact; undefined if it is none. */
function whole(typed) {
  const text = plainCode(typed);
  if (!/^-?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

function placeWidget(name, value, { universe, id, pick, changed }) {
  const inputs = ["x", "y", "z"].map((axis, at) =>
    h("input", { id: at ? `${id}-${axis}` : id, inputmode: "numeric", size: 8, "aria-label": `${name} ${axis}`, value: String(value?.[at] ?? 0), oninput: () => changed() }),
  );
  const button = h("button", {
    type: "button",
    class: "pick",
    text: WORDS.fields.pickOnMap,
    onclick: async () => {
      const picked = await pick([]);
      const position = universe.objects.get(picked)?.position;
      if (!position) return;
      inputs.forEach((input, at) => (input.value = String(position[at])));
      changed();
    },
  });
  return {
    element: h("div", { class: "row" }, inputs, button),
    value() {
      const numbers = inputs.map((input) => whole(input.value));
      return numbers.includes(undefined) ? undefined : numbers;
    },
    focus: () => inputs[0].focus(),
  };
}

function relativeWidget(field, context) {
  const object = objectWidget({ value: field.value?.object }, context);
  const place = placeWidget(field.label, field.value?.position, { ...context, id: `${context.id}-by` });
  place.element.querySelector(".pick").remove();
  return {
    element: h("div", {}, object.element, h("label", { for: `${context.id}-by`, text: WORDS.fields.fromThere }), place.element),
    value() {
      const [from, position] = [object.value(), place.value()];
      return from === undefined || position === undefined ? undefined : { object: from, position };
    },
    focus: object.focus,
  };
}

function rangeWidget({ value, min, max, step = 1 }, { id, changed }) {
  const start = value ?? Math.max(min, Math.min(0, max));
  const number = h("input", { id, type: "number", min, max, step, value: String(start) });
  const parts = [number];
  if ((max - min) / step <= MOST_STEPS) {
    const slider = h("input", { type: "range", min, max, step, "aria-hidden": "true", tabindex: -1 });
    slider.value = String(start);
    slider.addEventListener("input", () => {
      number.value = slider.value;
      changed();
    });
    number.addEventListener("input", () => (slider.value = number.value));
    parts.push(slider, h("span", { class: "hint", text: WORDS.fields.range({ min, max }) }));
  }
  number.addEventListener("input", () => changed());
  return { element: h("div", { class: "row" }, parts), value: () => whole(number.value), focus: () => number.focus() };
}

/** Options to tick where there is one of each, else with a number each. */
function listWidget({ value, options = [], known }, { id, changed }) {
  const chosen = new Map(value ?? []);
  const box = h("div", { class: "options", role: "group", id });
  const inputs = options.map(({ id: option, name, most }) => {
    const look = lookOf(name);
    const set = (number) => {
      if (number > 0) chosen.set(option, number);
      else chosen.delete(option);
      changed({ option });
    };
    const one = most === 1;
    const input = one
      ? h("input", { type: "checkbox", checked: chosen.has(option), onchange: (event) => set(event.target.checked ? 1 : 0) })
      : h("input", { type: "number", min: 0, max: most < 0 ? null : most, value: String(chosen.get(option) ?? 0), oninput: (event) => set(whole(event.target.value) ?? 0) });
    const label = h("label", { class: one ? "chip" : "amount" }, input, look && lookPicture(look), h("span", { text: name || WORDS.fields.unnamed({ number: option }) }), !one && h("span", { class: "hint", text: most < 0 ? "" : WORDS.fields.of({ most }) }));
    box.append(label);
    return { option, input, one };
  });
  for (const option of [...chosen.keys()].filter((key) => !options.some((one) => one.id === key))) {
    if (known) chosen.delete(option);
  }
  if (!options.length) box.append(h("p", { class: "hint", text: known ? WORDS.fields.noOptions : WORDS.fields.laterOptions }));
  return {
    element: box,
    value: () => new Map(chosen),
    focus: () => inputs[0]?.input.focus(),
    /** Leave only this option chosen. */
    only(option) {
      for (const [key] of chosen) if (key !== option) chosen.delete(key);
      for (const one of inputs) if (one.one) one.input.checked = chosen.has(one.option);
    },
    options: JSON.stringify(options),
  };
}

function textWidget({ value, longest }, { id, changed }) {
  const isLong = !longest || longest > 80;
  const input = h(isLong ? "textarea" : "input", { id, maxlength: longest || null, rows: isLong ? 3 : null, value: value ?? "", oninput: () => changed() });
  return {
    element: h("div", {}, input, longest ? h("span", { class: "hint", text: WORDS.fields.longest({ count: longest }) }) : null),
    value: () => input.value,
    focus: () => input.focus(),
  };
}

function referenceWidget({ value, allowed = [] }, { universe, id, changed }, isList) {
  const rows = (allowed.length ? allowed : Object.values(REFERENCE)).flatMap((type) => [...(referenced(universe, type)?.values() ?? [])]);
  const wanted = new Set((isList ? (value ?? []) : [value]).map(String));
  const select = h("select", { id, multiple: isList, size: isList ? 6 : null, onchange: () => changed() });
  if (!isList) select.append(h("option", { value: "", text: WORDS.fields.choose }));
  for (const row of rows) select.append(h("option", { value: String(row.id), selected: wanted.has(String(row.id)), text: row.name || WORDS.fields.unnamed({ number: row.id }) }));
  return {
    element: select,
    value: () => (isList ? [...select.selectedOptions].map((one) => Number(one.value)) : select.value === "" ? undefined : Number(select.value)),
    focus: () => select.focus(),
  };
}
