// Orders: parameters, values to and from frames, checks before sending.
// The values of an order are an array in the order of its kind's parameters. By the parameter's type (TP04, Order
// frame): COORDINATES [x, y, z] numbers, or BigInt beyond 2^53 TIME number of turns OBJECT, PLAYER id; undefined: not
// chosen yet RELATIVE_COORDINATES {object, position: [x, y, z]} RANGE number LIST, QUANTITY_LIST Map of id -> quantity
// STRING text REFERENCE id REFERENCE_LIST ids RESOURCE_LIST Map of resource id -> quantity

import { filledIn } from "./appearance.js";
import { BadArgument } from "./errors.js";
import { NOBODY, REFERENCE, ROOT } from "./objects.js";
import { list, references, text, vector, whole } from "./values.js";

/** The types of order parameters. */
export const KIND = Object.freeze({
  COORDINATES: 0,
  TIME: 1,
  OBJECT: 2,
  PLAYER: 3,
  RELATIVE_COORDINATES: 4,
  RANGE: 5,
  LIST: 6,
  STRING: 7,
  REFERENCE: 8,
  REFERENCE_LIST: 9,
  RESOURCE_LIST: 10,
  QUANTITY_LIST: 11,
});

/** The kind of object that the root is of. */
const ROOT_KIND = 0;

/** The slot that means the end of the queue. */
export const APPEND = -1;

/** By type: the parameter's name in the schema's JSON, which names the widget as well. */
export const WIDGETS = Object.freeze([
  "coordinates",
  "time",
  "object",
  "player",
  "relativeCoordinates",
  "range",
  "list",
  "string",
  "reference",
  "referenceList",
  "resourceList",
  "quantityList",
]);

const SMALLEST = -(2 ** 31);
const LARGEST = 2 ** 31 - 1;
const MOST_ID = 2 ** 32 - 1;
const FARTHEST = 2n ** 63n;

/**
 * One thing that a list parameter offers; `most` is how many of it may be chosen, -1 any number.
 * @typedef {{id: number, name: string, most: number}} Option
 */

/**
 * What one parameter of an order wants, with what a probe or an order frame told of its limits.
 *
 * `label` is what people call it, `name` its name in the protocol. `widget` is one of WIDGETS, "" for a type that nobody has defined. `known`: the server has told the limits. By type:
 * `options` (list, resourceList, quantityList); `min`, `max`, `step` (range); `max` (time; 0: not told); `longest`
 * (string; 0: not told); `kinds` (object: ids of the object kinds that may be chosen, empty: all); `allowed`
 * (reference, referenceList: reference types, empty: all); `mask` (player: who may not be chosen); `mass`, `volume`
 * (resourceList: their maximums, 0: not told).
 * @typedef {{index: number, name: string, label: string, description: string, type: number, widget: string, value: *, known: boolean,
 *   options?: Option[], min?: number, max?: number, step?: number, longest?: number, kinds?: number[],
 *   allowed?: number[], mask?: number, mass?: number, volume?: number}} Field
 */

/**
 * An order as the server has it. `kind` is the id of its OrderKind; `parameters` are as they came, with limits.
 * @typedef {{queue: number, slot: number, kind: number, turns: number, parameters: Object[], values: any[]}} Order
 */

/** @returns {Order} from the body of an Order frame */
export function readOrder(body) {
  const parameters = list(body.parameters);
  return {
    queue: whole(body.id),
    slot: whole(body.slot),
    kind: whole(body.otype),
    turns: whole(body.turns),
    parameters,
    values: parameters.map(readValue),
  };
}

/** The type of a parameter as it came, -1 if it is of none. @returns {number} */
export function formOf(parameter) {
  return WIDGETS.findIndex((name) => typeof parameter?.[name] === "object" && parameter[name] !== null);
}

const counted = (rows, key = "id", number = "number") =>
  new Map(list(rows).map((row) => [whole(row[key]), whole(row[number])]));

/** An object; undefined where none has been chosen yet: 0, unless universes, whose type is 0, may be chosen. */
function readObject(value) {
  const id = whole(value.objectId);
  const kinds = list(value.validTypes).map(whole);
  return id || !kinds.length || kinds.includes(0) ? id : undefined;
}

const READ = [
  (value) => vector(value),
  (value) => whole(value.turns),
  readObject,
  (value) => whole(value.playerId),
  (value) => ({ object: whole(value.objectId), position: vector(value.pos) }),
  (value) => whole(value.value),
  (value) => counted(value.selection),
  (value) => text(value.string),
  (value) => whole(value.reference),
  (value) => list(value.references).map(whole),
  (value) => counted(value.selected, "resourceId", "quantity"),
  (value) => counted(value.selection),
];

/** The value of a parameter as it came. */
export function readValue(parameter) {
  const type = formOf(parameter);
  return type < 0 ? undefined : READ[type](parameter[WIDGETS[type]]);
}

const LIMITS = {
  [KIND.TIME]: (value) => ({ max: whole(value.maxTime) }),
  [KIND.OBJECT]: (value) => ({ kinds: list(value.validTypes).map(whole) }),
  [KIND.PLAYER]: (value) => ({ mask: whole(value.mask) }),
  [KIND.RANGE]: (value) => ({ min: whole(value.minValue), max: whole(value.maxValue), step: whole(value.increment) || 1 }),
  [KIND.LIST]: (value) => ({
    options: list(value.possibleSelections).map((one) => ({ id: whole(one.id), name: text(one.name), most: whole(one.maxNumber) })),
  }),
  [KIND.STRING]: (value) => ({ longest: whole(value.maxLength) }),
  [KIND.REFERENCE]: (value) => ({ allowed: list(value.allowed).map(whole) }),
  [KIND.REFERENCE_LIST]: (value) => ({ allowed: list(value.allowed).map(whole) }),
  [KIND.RESOURCE_LIST]: (value, universe) => ({
    options: list(value.allowed).map((one) => ({
      id: whole(one.resourceId),
      name: universe.resourceName(whole(one.resourceId)),
      most: whole(one.maximum),
    })),
    mass: whole(value.maxMass),
    volume: whole(value.maxVolume),
  }),
  [KIND.QUANTITY_LIST]: (value) => ({
    options: list(value.possibles).map((one) => ({
      id: whole(one.id),
      name: text(one.name),
      most: whole(one.maximum),
      references: references(one.references),
    })),
  }),
};

/** The limits and choices that a parameter of a type tells, as in Field. @param {Object} told its part of that type */
export const limitsOf = (type, told, universe) => LIMITS[type]?.(told, universe) ?? {};

/**
 * What an order of a kind wants: one field a parameter, filled from an order that was probed or is queued, or else from
 * values.
 * @param {import("./universe.js").OrderKind} kind
 * @param {Order|null} order whose parameters tell limits and choices
 * @param {import("./universe.js").Universe} universe
 * @param {any[]} values used in place of the order's
 * @returns {Field[]}
 */
export function fieldsOf(kind, order, universe, values = order?.values ?? []) {
  return kind.parameters.map(({ name, description, type }, index) => {
    const told = order?.parameters[index]?.[WIDGETS[type]];
    const limits = limitsOf(type, told ?? {}, universe);
    if (!told && type === KIND.RANGE) Object.assign(limits, { min: SMALLEST, max: LARGEST });
    const value = values[index] ?? emptyValue(type);
    return { index, name, label: universe.parameterName(kind, index), description, type, widget: WIDGETS[type] ?? "", value, known: told !== undefined, ...limits };
  });
}

/** The value of a parameter that was not filled in yet; undefined where something has to be chosen. @param {number} type one of KIND @returns {*} */
export function emptyValue(type) {
  if (type === KIND.LIST || type === KIND.RESOURCE_LIST || type === KIND.QUANTITY_LIST) return new Map();
  if (type === KIND.STRING) return "";
  if (type === KIND.REFERENCE_LIST) return [];
  return undefined;
}

/** Values that stand for nothing in particular, to ask by a probe what can be chosen. @returns {any[]} */
export function anyValues(kind, thing, universe, values = []) {
  const anything = {
    [KIND.COORDINATES]: thing.position,
    [KIND.TIME]: 1, // what has limits begins at 1 more often than it has room for 0
    [KIND.OBJECT]: thing.id,
    [KIND.PLAYER]: universe.me,
    [KIND.RELATIVE_COORDINATES]: { object: thing.id, position: [0, 0, 0] },
    [KIND.RANGE]: 1,
    [KIND.REFERENCE]: 0,
  };
  return kind.parameters.map(({ type }, at) => values[at] ?? anything[type] ?? emptyValue(type));
}

// --- values to frames

const WANTED = [
  "coordinates: three whole numbers",
  "a number of turns",
  "an object",
  "a player",
  "an object and coordinates",
  "a whole number",
  "a choice from the list",
  "text",
  "something from the list",
  "things from the list",
  "amounts of resources",
  "a choice from the list",
];

const isWhole = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;
const isFar = (value) => (Number.isSafeInteger(value) || typeof value === "bigint") && value >= -FARTHEST && value < FARTHEST;
const isId = (value) => isWhole(value, 0, MOST_ID);
const isPoint = (value) => Array.isArray(value) && value.length === 3 && value.every(isFar);
const isCounted = (value) => value instanceof Map && [...value].every(([id, number]) => isId(id) && isWhole(number, 0, MOST_ID));
const point = ([x, y, z]) => ({ x: String(x), y: String(y), z: String(z) });
const rows = (value, key = "id", number = "number") =>
  [...value].filter(([, count]) => count > 0).map(([id, count]) => ({ [key]: id, [number]: count }));

/** By type: whether a value has the right form, and how it is written. */
const WRITE = [
  [isPoint, point],
  [(value) => isWhole(value, SMALLEST, LARGEST), (turns) => ({ turns })],
  [isId, (objectId) => ({ objectId })],
  [isId, (playerId) => ({ playerId })],
  [(value) => isId(value?.object) && isPoint(value.position), (value) => ({ objectId: value.object, pos: point(value.position) })],
  [(value) => isWhole(value, SMALLEST, LARGEST), (value) => ({ value })],
  [isCounted, (value) => ({ selection: rows(value) })],
  [(value) => typeof value === "string" && value.isWellFormed?.() !== false, (string) => ({ string })],
  [isId, (reference) => ({ reference })],
  [(value) => Array.isArray(value) && value.every(isId), (ids) => ({ references: ids })],
  [isCounted, (value) => ({ selected: rows(value, "resourceId", "quantity") })],
  [isCounted, (value) => ({ selection: rows(value) })],
];

/**
 * The body of an Order frame.
 * @param {import("./universe.js").OrderKind} kind
 * @param {number} queue
 * @param {any[]} values one a parameter; texts and lists may be undefined
 * @param {number} slot APPEND, or the position from 0
 * @returns {Object} throws BadArgument, with `parameter` set, for a value that is missing or does not fit
 */
export function orderBody(kind, queue, values, slot = APPEND) {
  return { id: queue, slot: String(slot), otype: kind.id, parameters: parametersOf(kind, values) };
}

/**
 * The body of an OrderProbe, judged behind the orders of the queue, or as what replaces one of them. Throws as `orderBody`.
 * @param {{slot?: number, replaces?: boolean}} place where the order is to be, APPEND if nothing is said
 * @returns {Object}
 */
export function probeBody(kind, queue, values, { slot = APPEND, replaces = false } = {}) {
  return { ...orderBody(kind, queue, values, slot), judged: replaces ? 2 : 1 };
}

/** Parameters as they are sent, the first `count` of them. Throws as `orderBody`. @returns {Object[]} */
export function parametersOf(kind, values, count = kind.parameters.length) {
  return kind.parameters.slice(0, count).map(({ name, type }, index) => {
    if (!WRITE[type]) throw new BadArgument(`${name} is of type ${type}, which this client does not know.`, index);
    const value = values[index] ?? emptyValue(type);
    if (value === undefined) throw new BadArgument(`${name} is missing: give ${WANTED[type]}.`, index);
    const [fits, write] = WRITE[type];
    if (!fits(value)) throw new BadArgument(`${name} has to be ${WANTED[type]}.`, index);
    return { [WIDGETS[type]]: write(value) };
  });
}

// --- checks before anything is sent

/**
 * What is wrong with values, as far as can be said without the server.
 * @param {Field[]} fields @param {any[]} values @param {import("./universe.js").Universe} universe
 * @returns {{parameter: number, text: string}[]} a sentence for each parameter at fault; empty: nothing found
 */
export function problems(fields, values, universe) {
  return fields
    .map((field) => ({ parameter: field.index, text: problem(field, values[field.index], universe) }))
    .filter((one) => one.text);
}

function problem(field, given, universe) {
  const { label: name, type } = field;
  if (!WRITE[type]) return `${name} is of type ${type}, which this client does not know.`;
  const value = given ?? emptyValue(type);
  if (value === undefined) return `${name} is missing: give ${WANTED[type]}.`;
  if (!WRITE[type][0](value)) return `${name} has to be ${WANTED[type]}.`;
  return CHECKS[type]?.(field, value, universe) ?? "";
}

const CHECKS = {
  [KIND.TIME]({ label: name, max }, value) {
    if (value < 0) return `${name} has to be 0 or more turns.`;
    return max && value > max ? `${name} may be at most ${max} turns.` : "";
  },
  [KIND.OBJECT]({ label: name, kinds }, value, universe) {
    const thing = universe.objects.get(value);
    if (!thing) return `${name}: the chosen object no longer exists, or you cannot see it now.`;
    if (!kinds.length || kinds.includes(thing.role)) return "";
    const names = kinds.map((id) => universe.kindName(id) || "something that is not described");
    return `${name} has to be a ${names.join(" or ")}; ${universe.objectPhrase(value)} is a ${universe.kindName(thing.role) || thing.kind}.`;
  },
  [KIND.PLAYER]({ label: name }, value, universe) {
    return universe.players.has(value) ? "" : `${name}: choose a player of this game.`;
  },
  [KIND.RELATIVE_COORDINATES]({ label: name }, value, universe) {
    return universe.objects.has(value.object) ? "" : `${name}: the chosen object no longer exists, or you cannot see it now.`;
  },
  [KIND.RANGE]({ label: name, min, max, step }, value) {
    if (value < min || value > max) return `${name} has to be from ${min} to ${max}.`;
    return step > 1 && (value - min) % step ? `${name} goes in steps of ${step} from ${min}.` : "";
  },
  [KIND.STRING]({ label: name, longest }, value) {
    const length = [...value].length;
    return longest && length > longest ? `${name} may have ${longest} characters; it has ${length}.` : "";
  },
  [KIND.LIST]: chosen,
  [KIND.RESOURCE_LIST]: chosen,
  [KIND.QUANTITY_LIST]: chosen,
};

function chosen({ label: name, options, known }, value) {
  if (!known) return "";
  for (const [id, number] of value) {
    if (number <= 0) continue;
    const option = options.find((one) => one.id === id);
    if (!option) return `${name}: this choice is no longer possible.`;
    if (option.most >= 0 && number > option.most) return `${name}: there are only ${option.most} of ${option.name}.`;
  }
  return "";
}

// --- refusals

/** The type of reference by which servers name the parameter of an order at fault; the id is its index. */
export const PARAMETER_REFERENCE = -1000;

/**
 * Which parameter a refusal is about: what the server names, or the only one whose value it refers to, or the one whose
 * name its sentence has.
 * @param {import("./errors.js").Refusal} refusal @param {import("./universe.js").OrderKind} kind @param {any[]} values
 * @returns {number} its index, -1 if that cannot be told
 */
export function parameterAtFault(refusal, kind, values) {
  const named = refusal.references.find((one) => one.type === PARAMETER_REFERENCE);
  if (named && named.id < kind.parameters.length) return named.id;
  const meant = { [KIND.OBJECT]: REFERENCE.OBJECT, [KIND.PLAYER]: REFERENCE.PLAYER };
  const referred = kind.parameters
    .map((_, index) => index)
    .filter((index) => refusal.references.some(
      (one) => one.type === meant[kind.parameters[index].type] && one.id === values[index],
    ));
  if (referred.length === 1) return referred[0];
  let found = -1;
  kind.parameters.forEach(({ name }, index) => {
    const isLonger = found < 0 || name.length > kind.parameters[found].name.length;
    if (isLonger && hasName(refusal.text, name)) found = index;
  });
  return found;
}

function hasName(sentence, name) {
  if (!name) return false;
  const isLetter = (character) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  const [where, what] = [sentence.toLowerCase(), name.toLowerCase()];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) {
    if (!isLetter(where[at - 1]) && !isLetter(where[at + what.length])) return true;
  }
  return false;
}

/**
 * Whether an order of the server's is, or may be, a draft: something in it has not been chosen yet. A number that was not
 * chosen is shown as the lowest. So an order may be a draft that takes no turns, as drafts do, and in which nothing is
 * anything else than what is shown before a choice.
 * @param {Order} order
 */
export function isUnfinished({ turns, parameters, values }) {
  const mayBeUnset = ({ range, time }, at) => {
    const value = values[at];
    if (range) return value === whole(range.minValue);
    return Boolean(time) || !value || value.size === 0 || (Array.isArray(value) && value.every((one) => !one));
  };
  return values.includes(undefined) || (turns === 0 && parameters.length > 0 && parameters.every(mayBeUnset));
}

// --- in words

/** Whether two orders are of one kind with the same values. @param {Order} one @param {Order} other @returns {boolean} */
export function sameOrder(one, other) {
  return one.kind === other.kind && JSON.stringify(one.values, flat) === JSON.stringify(other.values, flat);
}

function flat(_, value) {
  if (value instanceof Map) return [...value].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  return typeof value === "bigint" ? String(value) : value;
}

/**
 * An order for people: the sentence of the game, "Move to b4", or else its name and values, "Move: Star System: Alpha".
 * @param {Order} order @param {import("./universe.js").Universe} universe @returns {string}
 */
export function orderWords(order, universe) {
  const kind = universe.orderKinds.get(order.kind);
  if (!kind) return "an order that is not described";
  const fields = fieldsOf(kind, order, universe);
  const sentence = universe.words.orders.get(kind.id)?.sentence;
  if (sentence) {
    return filledIn(sentence, (name, one, several) => {
      const field = fields.find((each) => each.name === name);
      return field && inSentence(field, universe, one, several);
    });
  }
  const words = fields.map((field) => `${field.label}: ${valueWords(field, universe)}`);
  return words.length ? `${universe.orderName(kind)}: ${words.join("; ")}` : universe.orderName(kind);
}

/** A value within a sentence; of a number with its unit, if there is one. */
function inSentence(field, universe, one, several) {
  const { value, label } = field;
  if (value === undefined || value?.size === 0 || (field.type === KIND.PLAYER && value === NOBODY)) return `(${label.toLowerCase()} not chosen)`;
  if (one !== undefined && (typeof value === "number" || typeof value === "bigint")) return `${value} ${value === 1 ? one : several}`;
  return valueWords(field, universe);
}

/** What is chosen by whoever chooses no object, where an order does not need one. */
export const NONE = "none in particular";

/** Whether an object stands for no object: rules let the root, number 0, be chosen beside what is meant. */
export const isNone = (kinds, id) => id === ROOT && kinds.length > 1 && kinds.includes(ROOT_KIND);

/** The description of a field, which may call by its number what is chosen by a name here. @param {Field} field */
export function descriptionWords({ description, kinds = [] }) {
  return isNone(kinds, ROOT) ? description.replace(/\b0(?= (?:for|if|means|when)\b)/, `“${NONE}”`) : description;
}

/** The value of a field for people. @param {Field} field @param {import("./universe.js").Universe} universe @returns {string} */
export function valueWords({ type, value, options, kinds = [], allowed = [] }, universe) {
  if (value === undefined) return "not chosen";
  if (type === KIND.OBJECT) return isNone(kinds, value) ? NONE : objectWords(value, universe);
  if (type === KIND.TIME) return `${value} ${value === 1 ? "turn" : "turns"}`;
  if (type === KIND.REFERENCE) return referenceWords(value, allowed, universe);
  if (type === KIND.REFERENCE_LIST) return value.map((id) => referenceWords(id, allowed, universe)).join(", ") || "nothing chosen";
  if (type === KIND.PLAYER) return value === NOBODY ? "not chosen" : universe.playerName(value);
  if (type === KIND.RELATIVE_COORDINATES) return `${universe.objectPhrase(value.object)} + ${value.position.join(", ")}`;
  if (options) {
    const names = [...value].map(([id, count]) => {
      const name = options.find((one) => one.id === id)?.name || universe.resources.get(id)?.name || String(id);
      return count === 1 ? name : `${count} ${name}`;
    });
    return names.join(", ") || "nothing chosen";
  }
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** An object as the value of an order: a piece that has no name of its own with its place, for there may be several. */
function objectWords(id, universe) {
  const thing = universe.objects.get(id);
  const name = universe.objectPhrase(id);
  return thing?.ships?.size && universe.words.kinds.get(thing.role)?.isNameless ? `${name} at ${universe.objectPhrase(thing.parent)}` : name;
}

/** The table of what references of a type mean; undefined where there is none. @param {number} type see REFERENCE */
export function referenced(universe, type) {
  return {
    [REFERENCE.OBJECT]: universe.objects,
    [REFERENCE.ORDER_KIND]: universe.orderKinds,
    [REFERENCE.BOARD]: universe.boards,
    [REFERENCE.RESOURCE]: universe.resources,
    [REFERENCE.PLAYER]: universe.players,
    [REFERENCE.DESIGN]: universe.designs,
  }[type];
}

/** What a reference means, where the order says of which sort it is. */
function referenceWords(id, allowed, universe) {
  return (allowed.length === 1 && referenced(universe, allowed[0])?.get(id)?.name) || String(id);
}
