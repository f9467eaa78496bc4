// The two views of the map, computed from the frames alone.
// The results equal those of the Python module `tpclient.views` (tests/clients/views_cases.json has the cases of both).
//
// Only objects directly in a universe or a galaxy get an icon. All that such an object contains, at any depth, belongs
// to it. The normal view shows a dot for each icon and lines along orders, the resource view a pie.

import { countWords } from "./appearance.js";
import { NOBODY, ROOT } from "./objects.js";
import { KIND, formOf } from "./orders.js";

const UNIVERSE = 0;
const GALAXY = 1;

/** Pixels of a pie whose Amount is as large as the largest and the smallest are apart. */
export const FULL_DIAMETER = 60;
/** Pixels of the smallest pie. */
export const LEAST_DIAMETER = 10;
/** Slices of at most this many hundredths of the Amount are drawn together. */
export const SMALL_SLICE = 10;
/** What those are called. */
export const OTHER = "other";

/** @typedef {import("./objects.js").SpaceObject} SpaceObject */
/** @typedef {import("./universe.js").Universe} Universe */
/**
 * One star system: `owners` are the players who own it or anything in it, by rising id. `amounts` are by resource id
 * over all that belongs to it, `amount` their sum; `slices` over its direct contents only, the largest first, as
 * [resource id, amount]. `board` is the id of what it stands on.
 * @typedef {{thing: SpaceObject, board: number, owners: number[], amounts: Map<number, number>, amount: number,
 *   slices: [number, number][]}} Icon
 */
/** @typedef {{thing: SpaceObject, icons: Icon[]}} Board a galaxy, or the universe itself; icons by rising id */
/**
 * A corner of a path: a position on a board, the id of the icon there if an object led to it (else null), and the slot
 * of the order that leads here (null at the beginning).
 * @typedef {{board: number, position: (number|bigint)[], icon: number|null, slot: number|null}} Stop
 */
/** @typedef {{thing: SpaceObject, stops: Stop[]}} Path */
/** @typedef {{resource: number|null, amount: number, share: number}} Slice null: "other"; share of the circle, 0 to 1 */
/** @typedef {{icon: Icon, diameter: number, slices: Slice[]}} Pie `diameter` in pixels */
/**
 * All boards by rising id; `icons` by object id, `iconOf`: for each object on a board the id of its icon. `smallest`
 * and `largest` are of the Amounts of all objects on boards, each over itself and all it contains.
 * @typedef {{boards: Board[], icons: Map<number, Icon>, iconOf: Map<number, number>, smallest: number,
 *   largest: number}} StarMap
 */

/** Read the map of the universe as it is now. @param {Universe} universe @returns {StarMap} */
export function readMap(universe) {
  const members = new Map();
  const totals = new Map();
  const iconOf = new Map();
  for (const thing of universe.objects.values()) {
    const line = lineOf(universe, thing);
    if (!line.length) continue;
    const top = line[line.length - 1].id;
    if (!members.has(top)) members.set(top, []);
    members.get(top).push(thing);
    iconOf.set(thing.id, top);
    let own = 0;
    for (const { total } of thing.resources.values()) own += total;
    for (const outer of line) totals.set(outer.id, (totals.get(outer.id) ?? 0) + own);
  }
  const icons = new Map(
    [...members.keys()].sort(rising).map((id) => [id, iconFrom(universe.objects.get(id), members.get(id))]),
  );
  const holders = new Map();
  for (const icon of icons.values()) {
    if (!holders.has(icon.board)) holders.set(icon.board, []);
    holders.get(icon.board).push(icon);
  }
  const boards = [...holders.keys()].sort(rising).map((id) => ({ thing: universe.objects.get(id), icons: holders.get(id) }));
  let smallest = Infinity;
  let largest = 0;
  for (const total of totals.values()) {
    smallest = Math.min(smallest, total);
    largest = Math.max(largest, total);
  }
  return { boards, icons, iconOf, smallest: totals.size ? smallest : 0, largest };
}

/** Whether an object is a universe or a galaxy. @param {SpaceObject} thing */
export function holdsIcons(thing) {
  return thing.id === ROOT || thing.role === UNIVERSE || thing.role === GALAXY;
}

// --- the normal view

/**
 * What a dot tells of its owners: nobody white, only me green, only others red, me and others yellow. Never show it by
 * the colour alone.
 * @param {Icon} icon @param {number} me @returns {"white"|"green"|"red"|"yellow"}
 */
export function colour(icon, me) {
  if (!icon.owners.length) return "white";
  if (!icon.owners.includes(me)) return "red";
  return icon.owners.length === 1 ? "green" : "yellow";
}

/** The same with one colour a player: the id of the only player here. @param {Icon} icon @returns {number|"white"|"yellow"} */
export function colourByPlayer(icon) {
  if (icon.owners.length === 1) return icon.owners[0];
  return icon.owners.length ? "yellow" : "white";
}

/**
 * The paths of all objects that have one, by rising id. An order is a destination if exactly one of its parameters is a
 * coordinate or an object; what stands on no board leads nowhere.
 * @param {StarMap} map @param {Universe} universe
 * @param {Map<number, import("./orders.js").Order[]>} orders by queue id
 * @returns {Path[]}
 */
export function paths(map, universe, orders = universe.orders) {
  return universe
    .where((thing) => orders.get(thing.queue)?.length && map.iconOf.has(thing.id))
    .map((thing) => ({ thing, stops: stopsOf(map, thing, orders.get(thing.queue)) }))
    .filter((path) => path.stops.length > 1);
}

function stopsOf(map, thing, orders) {
  const stops = [stopAt(map, thing.id, null)];
  for (const order of [...orders].sort((one, other) => one.slot - other.slot)) {
    const found = order.parameters
      .map((parameter, at) => ({ type: formOf(parameter), value: order.values[at] }))
      .filter(({ type }) => type === KIND.COORDINATES || type === KIND.OBJECT);
    if (found.length !== 1) continue;
    const [{ type, value }] = found;
    if (type === KIND.COORDINATES) {
      stops.push({ board: stops[stops.length - 1].board, position: value, icon: null, slot: order.slot });
    } else if (map.iconOf.has(value)) stops.push(stopAt(map, value, order.slot));
  }
  return stops;
}

function stopAt(map, id, slot) {
  const icon = map.icons.get(map.iconOf.get(id));
  return { board: icon.board, position: icon.thing.position, icon: icon.thing.id, slot };
}

// --- the resource view

/**
 * The pie of an icon; null if there are no resources. All amounts equal: the full diameter.
 * @param {StarMap} map @param {Icon} icon
 * @param {Set<number>|null} ticked the resources to show slices of; null or empty: all. The diameter stays.
 * @returns {Pie|null}
 */
export function pie(map, icon, ticked = null) {
  if (!icon.amount) return null;
  const apart = map.largest - map.smallest;
  const diameter = apart ? Math.max(LEAST_DIAMETER, (FULL_DIAMETER * icon.amount) / apart) : FULL_DIAMETER;
  return { icon, diameter, slices: sliced(icon, ticked) };
}

/** The pies of all icons that have one, by rising id. @param {StarMap} map @param {Set<number>|null} ticked ids of resources @returns {Pie[]} */
export function pies(map, ticked = null) {
  return [...map.icons.values()].map((icon) => pie(map, icon, ticked)).filter(Boolean);
}

/**
 * What a pie says when it is pointed at: the Amount, and how much there is of each resource, most first.
 * @param {Icon} icon @param {Map<number, import("./universe.js").Resource>} resources
 * @param {Map<number, import("./appearance.js").Look>} looks of resources: those that have words are told in them
 * @returns {string[]}
 */
export function tooltip(icon, resources, looks = new Map()) {
  const lines = bySize(icon.amounts).map(([id, amount]) => {
    const look = looks.get(id);
    if (look?.words) return countWords(look, amount);
    const one = resources.get(id);
    if (!one) return `resource ${id}: ${amount}`;
    return `${form(amount, one.name, one.plural)}: ${amount} ${form(amount, one.unit, one.units)}`.trimEnd();
  });
  return [`Total: ${icon.amount}`, ...lines];
}

/**
 * The resources that there are anywhere on the map, by rising id: what can be ticked.
 * @param {StarMap} map @returns {number[]}
 */
export function resourcesOn(map) {
  return [...new Set([...map.icons.values()].flatMap((icon) => [...icon.amounts.keys()]))].sort(rising);
}

const form = (amount, singular, plural) => (amount === 1 || !plural ? singular : plural);

function sliced(icon, ticked) {
  const shown = ticked?.size ? icon.slices.filter(([resource]) => ticked.has(resource)) : icon.slices;
  const total = sum(shown.map(([, amount]) => amount));
  const isSmall = ([, amount]) => 100 * amount <= SMALL_SLICE * icon.amount;
  const slices = shown
    .filter((row) => !isSmall(row))
    .map(([resource, amount]) => ({ resource, amount, share: amount / total }));
  const small = sum(shown.filter(isSmall).map(([, amount]) => amount));
  if (small) slices.push({ resource: null, amount: small, share: small / total });
  return slices;
}

/** The object and what contains it, up to the one that has the icon; nothing if none has. */
function lineOf(universe, thing) {
  if (holdsIcons(thing)) return [];
  const line = [thing];
  for (const outer of universe.ancestors(thing.id)) {
    if (holdsIcons(outer)) return line;
    line.push(outer);
  }
  return [];
}

function iconFrom(system, members) {
  const owners = [...new Set(members.map((thing) => thing.owner))].filter((owner) => owner !== NOBODY).sort(rising);
  const amounts = new Map();
  const direct = new Map();
  for (const thing of members) {
    for (const [resource, { total }] of thing.resources) {
      if (!total) continue;
      amounts.set(resource, (amounts.get(resource) ?? 0) + total);
      if (thing.parent === system.id) direct.set(resource, (direct.get(resource) ?? 0) + total);
    }
  }
  return { thing: system, board: system.parent, owners, amounts, amount: sum([...amounts.values()]), slices: bySize(direct) };
}

const rising = (one, other) => one - other;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const bySize = (amounts) => [...amounts].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
