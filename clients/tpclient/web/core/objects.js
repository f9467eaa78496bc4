// An object of the map, read by its description.
// It has an owner, a place, resources, ships, an order queue, and all named values.

import { list, references, text, vector, whole } from "./values.js";

/** Reference types (TP04, the generic reference system). */
export const REFERENCE = Object.freeze({
  OBJECT: 1,
  ORDER_KIND: 2,
  ORDER: 3,
  BOARD: 4,
  MESSAGE: 5,
  RESOURCE: 6,
  PLAYER: 7,
  CATEGORY: 8,
  DESIGN: 9,
  COMPONENT: 10,
  PROPERTY: 11,
  OBJECT_KIND: 12,
  QUEUE: 13,
});

/** The owner of what nobody owns; players' ids start at 1. */
export const NOBODY = 0;
/** The id of the object that contains all others. */
export const ROOT = 0;

const NOBODY_ON_THE_WIRE = new Set([-1, 0, 0xffffffff]);

/**
 * How much of a resource there is: on the surface, minable, not minable yet.
 * @typedef {{stored: number, minable: number, unavailable: number, total: number}} Amount
 */

/**
 * A named value of an object. `form` is the parameter's name in the schema's JSON ("integer", "position", "reference",
 * "resourceList", "referenceQuantityList", "orderQueue", "size", "media", "velocity", "acceleration", "boundPosition"),
 * "" if the server sent none. `value` by form: integer, size: number; position, velocity, acceleration: [x, y, z];
 * boundPosition: slot; orderQueue: queue id; reference: {type, id}; referenceQuantityList: {type, id, number}[];
 * resourceList: {id, stored, minable, unavailable, total}[]; media: URL as text; "": null.
 * @typedef {{name: string, description: string, form: string, value: *}} NamedValue
 */

/** @typedef {{name: string, description: string, values: NamedValue[]}} Group */

/** An object as this player sees it. */
export class SpaceObject {
  #parameters;
  #description;

  /**
   * @param {Object} frame the body of an Object frame
   * @param {import("./universe.js").ObjectKind|undefined} description of its type
   */
  constructor(frame, description) {
    this.#parameters = list(frame.parameters);
    this.#description = description;
    /** @type {number} */
    this.id = whole(frame.id);
    /** Id of its kind's description. Kinds 0 to 5 are universe, galaxy, star system, planet, fleet, wormhole. */
    this.role = whole(frame.otype);
    /** The name of its kind, "" if that was never described. @type {string} */
    this.kind = description?.name ?? "";
    /** @type {string} */
    this.name = text(frame.name);
    /** @type {string} */
    this.description = text(frame.desc);
    /** @type {number} */
    this.parent = whole(frame.parent);
    /** Ids of what it contains directly. @type {number[]} */
    this.contains = list(frame.contains).map(whole);
    /** Unix seconds of the last change. */
    this.modified = whole(frame.modtime);
    /** @type {(number|bigint)[]} BigInt only beyond 2^53 */
    this.position = [0, 0, 0];
    /** Diameter. @type {number|bigint} */
    this.size = 0;
    /** Player id, or NOBODY. @type {number} */
    this.owner = NOBODY;
    /** Id of its order queue, 0 if it has none that is ours to see. @type {number} */
    this.queue = 0;
    /** By resource id. @type {Map<number, Amount>} */
    this.resources = new Map();
    /** How many by design id. @type {Map<number, number>} */
    this.ships = new Map();
    this.#read();
  }

  #read() {
    let placed = false;
    let owned = false;
    for (let at = 0; at < this.#count; at++) {
      const { form, value } = read(this.#parameters[at]);
      if (form === "position" && !placed) {
        this.position = value;
        placed = true;
      } else if (form === "size") this.size = value;
      else if (form === "reference" && value.type === REFERENCE.PLAYER && !owned) {
        this.owner = NOBODY_ON_THE_WIRE.has(value.id) ? NOBODY : value.id;
        owned = true;
      } else if (form === "orderQueue") this.queue = value;
      else if (form === "resourceList") {
        for (const { id, ...amount } of value) this.resources.set(id, amount);
      } else if (form === "referenceQuantityList") {
        for (const { type, id, number } of value) {
          if (type === REFERENCE.DESIGN) this.ships.set(id, (this.ships.get(id) ?? 0) + number);
        }
      }
    }
  }

  /** How many of its parameters its description names. */
  get #count() {
    return Math.min(this.#description?.size ?? 0, this.#parameters.length);
  }

  /** Everything that its description names, in groups, for people. @returns {Group[]} */
  get groups() {
    let at = 0;
    return (this.#description?.groups ?? []).map(({ name, description, parameters }) => ({
      name,
      description,
      values: parameters.map((one) => ({
        name: one.name,
        description: one.description,
        ...(at < this.#count ? read(this.#parameters[at++]) : NOTHING),
      })),
    }));
  }

  /** Of these the whole numbers, each with the name of its `group`. */
  get integers() {
    const found = [];
    let at = 0;
    for (const group of this.#description?.groups ?? []) {
      for (const { name, description } of group.parameters) {
        const told = this.#parameters[at++]?.integer;
        if (told) found.push({ group: group.name, name, description, value: whole(told.value) });
      }
    }
    return found;
  }

  /**
   * The whole number called `name`, in the group called `group` or else in whichever has it first.
   * @returns {number|undefined}
   */
  number(name, group = undefined) {
    return this.integers.find((one) => one.name === name && (group ?? one.group) === one.group)?.value;
  }
}

const READERS = {
  position: (value) => vector(value.vector),
  velocity: (value) => vector(value.vector),
  acceleration: (value) => vector(value.vector),
  boundPosition: (value) => whole(value.slot),
  orderQueue: (value) => whole(value.queueId),
  resourceList: (value) => list(value.resources).map(resourceRow),
  reference: (value) => references([value])[0],
  referenceQuantityList: (value) =>
    list(value.references).map((one) => ({ ...references([one])[0], number: whole(one.number) })),
  integer: (value) => whole(value.value),
  size: (value) => whole(value.size),
  media: (value) => text(value.url),
};

const NOTHING = { form: "", value: null };

/** One parameter as {form, value}. */
function read(parameter) {
  for (const form in parameter) {
    const value = parameter[form];
    if (value && Object.hasOwn(READERS, form)) return { form, value: READERS[form](value) };
  }
  return NOTHING;
}

function resourceRow(row) {
  const [stored, minable, unavailable] = [whole(row.stored), whole(row.minable), whole(row.unavailable)];
  return { id: whole(row.id), stored, minable, unavailable, total: stored + minable + unavailable };
}
