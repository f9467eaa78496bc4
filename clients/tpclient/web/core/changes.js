// What is different between two positions: which pieces moved, came and went, and which places are not what they were.

import { NOBODY } from "./objects.js";

/** Objects as they are at one moment, and on which place each stands. @typedef {{objects: Map<number, import("./objects.js").SpaceObject>, iconOf: Map<number, number>}} Position */
/**
 * `moved`: pieces that stand elsewhere; `gone` and `born`: those that were only there before, or only now; `places`: all
 * that look different. Pieces are told as they are now, gone ones as they were.
 * @typedef {{moved: {thing: Object, from: number, to: number}[], gone: {thing: Object, at: number}[],
 *   born: {thing: Object, at: number}[], places: Set<number>}} Difference
 */

/** Remember a position. @param {import("./universe.js").Universe} universe @param {import("./views.js").StarMap} map @returns {Position} */
export const positionOf = (universe, { iconOf }) => ({ objects: new Map(universe.objects), iconOf });

/** Whether an object is a piece, not the ground of a place: it is of something, or somebody's. */
export const isPiece = (thing) => thing.ships.size > 0 || thing.owner !== NOBODY;

/**
 * Compare two positions of one game. Objects are compared by what they show, not by when they were changed: who looks
 * at an old turn gets all anew.
 * @param {Position} before @param {Position} now @returns {Difference}
 */
export function difference(before, now) {
  const found = { moved: [], gone: [], born: [], places: new Set() };
  for (const [id, thing] of now.objects) {
    const to = now.iconOf.get(id);
    const old = before.objects.get(id);
    if (old === thing || to === undefined) continue;
    const from = before.iconOf.get(id);
    // The places themselves neither move nor come.
    const isOne = isPiece(thing) && id !== to;
    if (old && from !== undefined && from !== to) {
      if (isOne) found.moved.push({ thing, from, to });
      found.places.add(from).add(to);
    } else if (!old || from === undefined) {
      if (isOne) found.born.push({ thing, at: to });
      found.places.add(to);
    } else if (looks(old) !== looks(thing)) found.places.add(to);
  }
  for (const [id, thing] of before.objects) {
    const at = before.iconOf.get(id);
    if (at === undefined || now.iconOf.has(id)) continue;
    if (isPiece(thing) && id !== at) found.gone.push({ thing, at });
    found.places.add(at);
  }
  return found;
}

/** All of an object that can be seen on the map. */
const looks = ({ name, owner, role, ships, resources, integers }) =>
  JSON.stringify([name, owner, role, [...ships], [...resources].map(([id, { stored, minable, unavailable }]) => [id, stored, minable, unavailable]), integers.map(({ value }) => value)], (_, value) => (typeof value === "bigint" ? String(value) : value));
