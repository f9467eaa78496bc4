// The drawing of one place of the map: ground, dot, pieces and pie.

import { countWords } from "../core/appearance.js";
import { isPiece } from "../core/changes.js";
import { NOBODY } from "../core/objects.js";
import { colour, pie } from "../core/views.js";
import { WORDS } from "../words.js";
import { CELL } from "./layout.js";
import { lookOf, lookOfThing, meaningOf, resourcePicture, terrainOf, toneOf } from "./pictures.js";
import { shape, symbolShape } from "./shapes.js";

// So many colours of players, and of resources, are in the style sheet.
export const PLAYER_COLOURS = 8;
const RESOURCE_COLOURS = 12;

const MOST_IN_SQUARE = 4;
const MOST_IN_TRAY = 10;
/** Ground that has these pictures shows them; that of others is told by its colour. */
const PLAIN_GROUND = new Set(["planet", "star", "water", "grass", "stone", "home", "pawn", "cube", "ant", "person"]);

export { isPiece };

/** The class that carries a player's colour. */
export const playerClass = (universe, id) => `pl-${id === NOBODY ? "none" : [...universe.players.keys()].sort((a, b) => a - b).indexOf(id) % PLAYER_COLOURS}`;

/**
 * A kind of piece at a place: `count` of them, all of one owner. `things` are the objects, in order.
 * @typedef {{look: import("./pictures.js").Look, owner: number, count: number, things: Object[]}} Pile
 */

/** The pieces at a place, those that look alike on one pile, mine first. @returns {Pile[]} */
export function pilesOf(universe, members) {
  const piles = new Map();
  for (const thing of members) {
    if (!isPiece(thing)) continue;
    const look = lookOfThing(universe, thing);
    const key = `${look.picture} ${look.mark} ${look.tone} ${thing.owner}`;
    if (!piles.has(key)) piles.set(key, { look, owner: thing.owner, count: 0, things: [] });
    const pile = piles.get(key);
    pile.count += Math.max(1, [...thing.ships.values()].reduce((sum, number) => sum + number, 0));
    pile.things.push(thing);
  }
  const rank = (pile) => (pile.owner === universe.me ? 0 : pile.owner === NOBODY ? 2 : 1);
  return [...piles.values()].sort((one, other) => rank(one) - rank(other) || one.things[0].id - other.things[0].id);
}

/** What the ground of a place looks like. @returns {{terrain: string, pictures: {picture: string, count: number, look: Object|null}[]}} */
function groundOf(universe, system, members) {
  const grounds = members.filter((thing) => !isPiece(thing));
  const told = [];
  const pictures = new Map();
  const add = (picture, count = 1, look = null) => {
    if (picture && !PLAIN_GROUND.has(picture)) pictures.set(picture, { count: (pictures.get(picture)?.count ?? 0) + count, look });
  };
  for (const thing of grounds) {
    for (const { description, value } of thing.integers) {
      const meaning = meaningOf(description, value);
      if (meaning && meaning !== "yes" && meaning !== "no") told.push(meaning);
    }
    if (thing !== system) add((lookOf(thing.name) ?? lookOf(thing.kind))?.picture);
    for (const [id, { total }] of thing.resources) {
      const name = universe.resources.get(id)?.name ?? ""; // pictures are found by the names that all games have
      if (!total) continue;
      const terrain = terrainOf([name]);
      if (terrain) told.push(name);
      else {
        const look = universe.appearance.resources.get(id);
        add(look?.symbol ? `resource-${id}` : resourcePicture(name), total, look);
      }
    }
  }
  return { terrain: terrainOf(told), pictures: [...pictures].map(([picture, { count, look }]) => ({ picture, count, look })) };
}

/** The amounts that the game names as badges of a piece, as far as there are any: [resource, amount]. @returns {[number, number][]} */
function badgesOf(universe, { things }) {
  const [thing] = things;
  if (things.length > 1) return [];
  const named = universe.appearance.kinds.get(thing.role)?.badges ?? [];
  return named.map((id) => [id, Number(thing.resources.get(id)?.stored ?? 0)]).filter(([, amount]) => amount);
}

const use = (name, x, y, size, kind = null) => shape("use", { href: `#p-${name}`, x: x - size / 2, y: y - size / 2, width: size, height: size, class: kind });

const DOTS = {
  white: (r) => ["circle", { r }],
  green: (r) => ["circle", { r }],
  red: (r) => ["path", { d: `M0 ${-r * 1.08}L${r * 1.08} 0 0 ${r * 1.08} ${-r * 1.08} 0z`, "stroke-linejoin": "round" }],
  yellow: (r) => ["path", { d: `M${-r * 0.55} ${-r * 0.95}H${r * 0.55}L${r * 1.1} 0 ${r * 0.55} ${r * 0.95}H${-r * 0.55}L${-r * 1.1} 0z` }],
};

/** The dot of the normal view: the shape tells the same as the colour. @returns {import("./shapes.js").Shape} */
export function dotMark(kind, radius, more = {}) {
  const { class: also = "", ...rest } = more;
  const [tag, form] = DOTS[kind](radius);
  return shape(tag, { ...form, ...rest, class: `dot d-${kind}${also}` });
}

/** A piece that stands alone: its disc takes most of the square, its symbol three quarters of that. */
const ALONE = 52;

/** Where the n-th of so many marks stands around the middle, and how large it is. */
function placesFor(count, { kind, width, height }) {
  if (kind === "tray") {
    const [columns, rows] = [Math.floor(width / 58), Math.floor(height / 58)];
    const isRoomy = columns * rows >= count;
    const perRow = Math.min(count, isRoomy ? columns : 5);
    const size = isRoomy ? ALONE : count > 5 ? 28 : 34;
    const [across, down] = isRoomy ? [60, 60] : [41, 34];
    return Array.from({ length: count }, (_, at) => ({
      x: ((at % perRow) - (Math.min(perRow, count - Math.floor(at / perRow) * perRow) - 1) / 2) * across,
      y: (Math.floor(at / perRow) - (Math.ceil(count / perRow) - 1) / 2) * down,
      size,
    }));
  }
  if (count === 1) return [{ x: 0, y: 0, size: ALONE }];
  if (count === 2) return [-1, 1].map((side) => ({ x: side * 14, y: side * 6, size: 33 }));
  return Array.from({ length: count }, (_, at) => ({ x: at % 2 ? 14.5 : -14.5, y: at < 2 ? -14.5 : 14.5, size: 28 }));
}

/** The pieces that are drawn near a point of a place, which is told from its middle; none if nothing is. */
export function piecesAt(universe, members, spot, x, y) {
  const piles = pilesOf(universe, members);
  const isTray = spot.kind === "tray";
  const most = isTray ? MOST_IN_TRAY : MOST_IN_SQUARE;
  const shown = piles.length > most ? piles.slice(0, most - 1) : piles;
  const places = placesFor(Math.min(piles.length, most), spot);
  const at = shown.findIndex((_, number) => Math.hypot(places[number].x - x, places[number].y - y) < places[number].size * 0.6);
  return at < 0 ? [] : shown[at].things;
}

/** From so many on a pile has its number, and not only discs behind it. */
const COUNTED = 4;

/** One pile: its symbol on a disc of its owner's colour with that one's edge, how many, and badges. Nobody's has no disc. */
function pileMark(universe, pile, { x, y, size }, isOld) {
  const { look, owner, count } = pile;
  const isOwned = owner !== NOBODY;
  const behind = Array.from({ length: Math.min(count, 3) - 1 }, (_, at) => (Math.min(count, 3) - 1 - at) * size * 0.09);
  const disc = (way) => [shape("circle", { class: "plate", cx: way, cy: -way, r: size * 0.52 }), shape("circle", { class: "pattern", cx: way, cy: -way, r: size * 0.48 })];
  const amounts = size > 30 ? badgesOf(universe, pile) : [];
  return shape(
    "g",
    { class: `piece ${playerClass(universe, owner)}${look.tone ? ` tone-${look.tone}` : ""}`, transform: `translate(${x} ${y})`, ...(!isOwned && look.colour && { color: look.colour }) },
    isOwned && [...behind, 0].flatMap(disc),
    isOwned && look.tone && shape("circle", { class: "inlay", r: size * 0.38 }),
    look.symbol ? symbolShape(look.symbol, { x: 0, y: 0 }, size * 0.7) : use(look.picture, 0, 0, size * (isOwned ? (look.tone ? 0.68 : 0.76) : 0.92)),
    look.mark && [shape("circle", { class: "emblem", cx: -size * 0.36, cy: size * 0.36, r: size * 0.24 }), use(look.mark, -size * 0.36, size * 0.36, size * 0.4, "on-emblem")],
    (count >= COUNTED || (count > 1 && !isOwned)) && badge(`${count > 999 ? "999+" : count}`, size * 0.4, -size * 0.42, size, "count"),
    amounts.map(([id, amount], at) => badge(amount > 999 ? "999+" : String(amount), (at ? -0.4 : 0.4) * size, size * 0.44, size * 0.9, `amount ${resourceClass(universe, id)}`)),
    isOld && isOwned && badge(String(owner), size * 0.42, -size * 0.42, size, "owner"),
  );
}

/** Pieces without their place, each pile around the middle. @returns {import("./shapes.js").Shape[]} */
export const loneMarks = (universe, things) => pilesOf(universe, things).map((pile) => pileMark(universe, pile, placesFor(1, { kind: "square", width: CELL })[0]));

function badge(text, x, y, size, kind) {
  const height = Math.max(11, size * 0.36);
  const width = Math.max(height, text.length * height * 0.58 + height * 0.4);
  return shape(
    "g",
    { class: `badge ${kind}`, transform: `translate(${x} ${y})` },
    shape("rect", { x: -width / 2, y: -height / 2, width, height, rx: kind === "count" ? 3 : height / 2 }),
    shape("text", { y: height * 0.34, "font-size": height * 0.86, text }),
  );
}

/**
 * What is drawn at a place. `key`: what has the same key looks the same. `reach`: so far from its middle it may go, in
 * map units. `shape` makes it.
 * @typedef {{key: string, reach: number, shape: () => import("./shapes.js").Shape}} Mark
 */

/**
 * All that the normal view shows at a place, and the kind of its ground.
 * @param {Object} universe @param {import("../core/views.js").Icon} icon @param {Object[]} members what belongs to it
 * @param {import("./layout.js").Spot} spot
 * @param {boolean} isOld whether it has the dots of the old clients, which tell what belongs to whom, and numbers
 * @returns {Mark & {terrain: string, whose: string, isBare: boolean}} `whose` as `colour` tells it
 */
export function normalMark(universe, icon, members, spot, isOld = false) {
  const { terrain, pictures } = groundOf(universe, icon.thing, members);
  const piles = pilesOf(universe, members);
  const kind = colour(icon, universe.me);
  const looks = piles.map((pile) => `${pile.look.picture} ${pile.look.mark} ${pile.look.tone} ${pile.owner} ${pile.count} ${badgesOf(universe, pile)}`);
  const key = `${spot.kind} ${spot.width} ${kind} ${isOld} ${pictures.map(({ picture, count }) => `${picture} ${count}`)};${looks}`;
  const reach = Math.max(Math.max(spot.width, spot.height) / 2 + 0.2 * CELL, 0.8 * CELL);
  const isBare = !piles.length && spot.kind === "square";
  return { key, reach, terrain, whose: kind, isBare, shape: () => normalShape(universe, { kind, pictures, piles, spot, isOld }) };
}

function normalShape(universe, { kind, pictures, piles, spot, isOld }) {
  const isTray = spot.kind === "tray";
  const most = isTray ? MOST_IN_TRAY : MOST_IN_SQUARE;
  const shown = piles.length > most ? piles.slice(0, most - 1) : piles;
  const places = placesFor(Math.min(piles.length, most), spot);
  const standing = new Set(piles.map((pile) => pile.look.picture));
  const isBare = !piles.length;
  const isStar = spot.kind === "star" && isBare; // without a dot there would be nothing to point at
  const dot = (isOld || isStar) && dotMark(kind, isBare ? (spot.kind === "star" ? 9 : 3.5) : isTray ? 7 : 29, {
    class: isBare && kind === "white" && spot.kind === "square" ? " bare" : "",
    transform: isTray ? `translate(${0.12 * CELL - spot.width / 2} ${0.2 * CELL - spot.height / 2})` : isBare && pictures.length ? "translate(-25 25)" : null,
  });
  let rest = null;
  if (shown.length < piles.length) {
    const { x, y, size } = places.at(-1);
    rest = badge(`+${piles.slice(shown.length).reduce((sum, pile) => sum + pile.count, 0)}`, x, y, size * 1.5, "count");
  }
  return shape(
    "g",
    { class: `normal of-${kind}${isBare ? " bare" : ""}` },
    groundMarks(pictures.filter(({ picture }) => !standing.has(picture)), piles.length > 0 && !isTray),
    dot,
    shown.map((pile, at) => pileMark(universe, pile, places[at], isOld)),
    rest,
  );
}

/** Pictures of what lies on the ground: large where nobody stands on it, else in the corners. */
function groundMarks(pictures, isCovered) {
  const shown = pictures.slice(0, 4);
  return shown.map(({ picture, count, look }, at) => {
    const alone = shown.length === 1;
    const [x, y, size] =
      picture === "web" && !isCovered && alone ? [0, 0, 58]
      : isCovered ? [at % 2 ? 21 : -21, at < 2 ? -21 : 21, 19]
      : alone ? [0, 0, 42]
      : [at % 2 ? 14 : -14, at < 2 ? -13 : 13, 26];
    const number = count > 1 && badge(count > 999 ? "999+" : String(count), x + size * 0.38, y - size * 0.36, size, "count");
    const drawn = look?.symbol ? symbolShape(look.symbol, { x, y }, size) : use(picture, x, y, size);
    return shape("g", { class: `ground c-${picture}`, ...(look?.colour && { color: look.colour }) }, drawn, number);
  });
}

/** The place of a resource among all, which decides its colour and pattern. */
function resourceIndex(universe, id) {
  return [...universe.resources.keys()].sort((one, other) => one - other).indexOf(id);
}

/** The class that carries a resource's colour. */
export function resourceClass(universe, id) {
  return `r-${toneOf(universe.resources.get(id)?.name ?? "") || resourceIndex(universe, id) % RESOURCE_COLOURS}`;
}

/** The one or two letters that stand for a resource beside its colour. */
export function resourceLetters(universe, id) {
  const name = universe.resourceName(id);
  const taken = [...universe.resources.values()].filter((one) => one.id < id).map((one) => initials(universe.resourceName(one.id), 1));
  return initials(name, taken.includes(initials(name, 1)) ? 2 : 1);
}

function initials(name, count) {
  const parts = name.split(/\s+/).filter(Boolean);
  return (count > 1 && parts.length > 1 ? parts[0][0] + parts[1][0] : name.slice(0, count)).toUpperCase();
}

/** The pie of the resource view, null where there is nothing. @returns {Mark|null} */
export function pieMark(universe, map, icon, ticked) {
  const found = pie(map, icon, ticked);
  if (!found) return null;
  const { diameter, slices } = found;
  const room = roomOf(diameter);
  const key = `pie ${diameter} ${slices.map(({ resource, share }) => `${resource} ${share}`)}`;
  return { key, reach: Math.max((diameter / 2 + 1) * room, 0.7 * CELL), shape: () => pieShape(universe, diameter, slices) };
}

/** How many times larger a pie may become where the map is small, so that it does not outgrow its square. */
const roomOf = (diameter) => Math.max(1, (CELL - 6) / diameter).toFixed(2);

function pieShape(universe, diameter, slices) {
  const radius = diameter / 2;
  const disc = [shape("circle", { class: "pie-base", r: radius })];
  const letters = (resource) => (resource === null ? "…" : resourceLetters(universe, resource));
  let from = 0;
  for (const { resource, share } of slices) {
    disc.push(slice(radius, from, share, `slice ${resource === null ? "r-other" : resourceClass(universe, resource)}`));
    if (radius >= 11 && radius * share > 5) {
      const middle = 2 * Math.PI * (from + share / 2);
      const out = share > 0.99 ? 0 : radius * 0.6;
      const size = Math.min(16, Math.max(7, radius * (share > 0.99 ? 0.95 : 0.5)));
      disc.push(shape("text", { class: "letters", x: out * Math.sin(middle), y: -out * Math.cos(middle) + size * 0.35, "font-size": size, text: letters(resource) }));
    }
    from += share;
  }
  const beside = slices.slice(0, 3).map(({ resource }) => letters(resource)).join("·");
  return shape(
    "g",
    { class: "pie", "data-diameter": diameter.toFixed(1) },
    shape("g", { class: "disc", "--room": roomOf(diameter) }, disc),
    radius < 11 && shape("text", { class: "letters beside", y: CELL / 2 - 3, "font-size": 12, text: beside }),
  );
}

function slice(radius, from, share, kind) {
  if (share > 0.9999) return shape("circle", { class: kind, r: radius });
  const at = (part) => `${(radius * Math.sin(2 * Math.PI * part)).toFixed(2)} ${(-radius * Math.cos(2 * Math.PI * part)).toFixed(2)}`;
  return shape("path", { class: kind, d: `M0 0L${at(from)}A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${at(from + share)}z` });
}

/** A place in words: its name, who is there, what stands there. */
export function placeWords(universe, icon, members) {
  const piles = pilesOf(universe, members);
  const pieces = piles.map((pile) => pileWords(universe, pile));
  const { terrain, pictures } = groundOf(universe, icon.thing, members);
  const ground = members.filter((thing) => !isPiece(thing)).flatMap((thing) => [...thing.resources].filter(([, { total }]) => total).map(([id, { total }]) => universe.amountWords(id, total)));
  return { name: universe.objectName(icon.thing.id), pieces, ground: ground.length || !(terrain || pictures.length) ? ground : [terrain].filter(Boolean) };
}

/** An object's name, with what it consists of where the name does not say it. */
export function thingWords(universe, thing) {
  const name = universe.objectName(thing.id);
  const [design] = thing.ships.keys();
  const of = universe.designName(design);
  // "Red 3" need not be told to be a red cube.
  const isTold = plain(of).startsWith(plain(name)) || plain(name).includes(plain(thing.ships.get(design) === 1 ? of.split(" ")[0] : of));
  return !of || isTold ? name : `${name}: ${universe.shipWords(thing)}`;
}

const plain = (text) => text.toLowerCase().replace(/\s/g, "");

/**
 * What to call things between which one has to choose: each by its name, with its owner, place and number among those
 * alike as far as it takes to tell them apart.
 */
export function distinctNames(universe, things) {
  const owner = (thing) => (thing.owner === NOBODY ? "" : thing.owner === universe.me ? WORDS.common.yours : universe.playerName(thing.owner));
  const more = (...words) => words.filter(Boolean).join(", ");
  const names = things.map((thing) => thingWords(universe, thing));
  for (const details of [owner, (thing) => more(universe.objectName(thing.parent), owner(thing))]) {
    for (const alike of sameNames(names)) for (const at of alike) names[at] = `${thingWords(universe, things[at])}${details(things[at]) && ` (${details(things[at])})`}`;
  }
  for (const alike of sameNames(names)) alike.forEach((at, number) => (names[at] = WORDS.map.oneOf({ name: names[at], number: number + 1, count: alike.length })));
  return names;
}

/** The places in a list of names that have the same name, where there are several. @returns {number[][]} */
function sameNames(names) {
  const found = new Map();
  names.forEach((name, at) => found.set(name, [...(found.get(name) ?? []), at]));
  return [...found.values()].filter((places) => places.length > 1);
}

/** "2 scientist ships (bob)", "Black Group: 5 black ants (bob)"; where the game has no words, "5 × Black Group: Black Ant (bob)". */
export function pileWords(universe, pile) {
  const [thing] = pile.things;
  const owner = pile.owner === NOBODY ? "" : ` (${pile.owner === universe.me ? WORDS.common.yourself : universe.playerName(pile.owner)})`;
  const [design] = thing.ships.keys();
  const look = universe.words.designs.get(design);
  if (look?.words && pile.count > 1 && pile.things.every(({ ships, name }) => ships.size === 1 && ships.has(design) && name === thing.name)) {
    const counted = countWords(look, pile.count);
    if (universe.words.kinds.get(thing.role)?.isNameless) return `${counted}${owner}`;
    return `${pile.things.length > 1 ? `${pile.things.length} × ` : ""}${universe.objectName(thing.id)}: ${counted}${owner}`;
  }
  const what = pile.things.every((one) => one.name === thing.name) ? thingWords(universe, thing) : universe.kindName(thing.role) || thing.name;
  const isCounted = look?.words && pile.things.length === 1; // what it consists of is told with its numbers
  return `${pile.count > 1 && !isCounted ? `${pile.count} × ` : ""}${what}${owner}`;
}
