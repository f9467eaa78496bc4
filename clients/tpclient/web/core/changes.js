// Differences between two positions, and reports of fights.
// Differences are moved, new, gone and captured pieces, and changed places.

import { NOBODY, REFERENCE } from "./objects.js";

/** Objects as they are at one moment, and on which place each stands. @typedef {{objects: Map<number, import("./objects.js").SpaceObject>, iconOf: Map<number, number>}} Position */
/**
 * `moved`: pieces that stand elsewhere; `gone` and `born`: those that were only there before, or only now; `taken`: those
 * that became another player's where they stand, be it that another piece came in their place; `struck`: places where a
 * piece went and another player's moved in; `places`: all that look different. Pieces are told as they are now, gone ones
 * and `was` as they were.
 * @typedef {{moved: {thing: Object, from: number, to: number}[], gone: {thing: Object, at: number}[],
 *   born: {thing: Object, at: number}[], taken: {was: Object, thing: Object, at: number}[], struck: Set<number>,
 *   places: Set<number>}} Difference
 */

/** Remember a position. @param {import("./universe.js").Universe} universe @param {import("./views.js").StarMap} map @returns {Position} */
export const positionOf = (universe, { iconOf }) => ({ objects: new Map(universe.objects), iconOf });

/** Whether an object is a piece, not the ground of a place: it is of something, or somebody's. */
export const isPiece = (thing) => thing.ships.size > 0 || thing.owner !== NOBODY;

/**
 * Whether two lists hold the same objects. An object that changes is fetched as a new one. Modification times do not tell:
 * they are comparable within one connection only, and an old turn is read over another.
 * @param {Object[]} one @param {?Object[]} other @returns {boolean}
 */
export const sameObjects = (one, other) => one.length === other?.length && one.every((thing, at) => thing === other[at]);

/**
 * Compare two positions of one game. Objects are compared by what they show, not by when they were changed: who looks
 * at an old turn gets all anew.
 * @param {Position} before @param {Position} now @returns {Difference}
 */
export function difference(before, now) {
  const found = { moved: [], gone: [], born: [], taken: [], struck: new Set(), places: new Set() };
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
    } else if (looks(old) !== looks(thing)) {
      if (isOne && isRival(old, thing)) found.taken.push({ was: old, thing, at: to });
      found.places.add(to);
    }
  }
  for (const [id, thing] of before.objects) {
    const at = before.iconOf.get(id);
    if (at === undefined || now.iconOf.has(id)) continue;
    if (isPiece(thing) && id !== at) found.gone.push({ thing, at });
    found.places.add(at);
  }
  pair(found);
  return found;
}

const isRival = (one, other) => one.owner !== other.owner && one.owner !== NOBODY && other.owner !== NOBODY;

/** A piece that went where another player's came has been taken by that, or struck by what moved in. */
function pair(found) {
  for (const one of [...found.gone]) {
    const heir = found.born.find(({ thing, at }) => at === one.at && isRival(one.thing, thing));
    if (heir) {
      found.taken.push({ was: one.thing, thing: heir.thing, at: one.at });
      found.gone.splice(found.gone.indexOf(one), 1);
      found.born.splice(found.born.indexOf(heir), 1);
    } else if (found.moved.some(({ thing, to }) => to === one.at && isRival(one.thing, thing))) found.struck.add(one.at);
  }
}

const FIGHT = /\b(?:combat|battle|fight|clash)/i;
const STRENGTHS = /(-?\d{1,6}) (?:to|against) (-?\d{1,6})\b|= (-?\d{1,6}) against [^=\n]{1,200}= (-?\d{1,6})\b/;

/** Where the fight was of which a report tells: the id of an object; undefined if it tells of none. @param {import("./story.js").Report} report */
export const fightAt = ({ failed, subject, references }) => (failed || !FIGHT.test(subject) ? undefined : references.find(({ type }) => type === REFERENCE.OBJECT)?.id);

/**
 * The fights of which reports tell (see rulesets/docs/appearance.md): where each was, and both strengths, "" where they
 * are not told. The second report of a fight adds nothing.
 * @param {import("./story.js").Report[]} reports @returns {{id: number, strengths: string}[]} `id` of an object at the place
 */
export function fightsOf(reports) {
  const found = new Map();
  for (const report of reports) {
    const id = fightAt(report);
    if (id === undefined) continue;
    const [, one, other, first = one, second = other] = STRENGTHS.exec(report.body) ?? [];
    const strengths = first === undefined ? "" : `${first} : ${second}`;
    if (!found.get(id)) found.set(id, strengths);
  }
  return [...found].map(([id, strengths]) => ({ id, strengths }));
}

/** All of an object that can be seen on the map. */
const looks = ({ name, owner, role, ships, resources, integers }) =>
  JSON.stringify([name, owner, role, [...ships], [...resources].map(([id, { stored, minable, unavailable }]) => [id, stored, minable, unavailable]), integers.map(({ value }) => value)], (_, value) => (typeof value === "bigint" ? String(value) : value));
