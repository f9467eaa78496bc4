// What is drawn at one place of the map: its ground, its dot, its pieces, its pie.

import { NOBODY } from "../core/objects.js";
import { colour, pie } from "../core/views.js";
import { s } from "./dom.js";
import { CELL } from "./layout.js";
import { lookOf, lookOfThing, meaningOf, resourcePicture, terrainOf, toneOf } from "./pictures.js";

// So many colours of players, and of resources, are in the style sheet.
const PLAYER_COLOURS = 8;
const RESOURCE_COLOURS = 12;

const MOST_IN_SQUARE = 4;
const MOST_IN_TRAY = 10;
/** Ground that has these pictures shows them; that of others is told by its colour. */
const PLAIN_GROUND = new Set(["planet", "star", "water", "grass", "stone", "home", "pawn", "cube", "ant", "person"]);

/** The class that carries a player's colour. */
export const playerClass = (universe, id) => `pl-${id === NOBODY ? "none" : [...universe.players.keys()].sort((a, b) => a - b).indexOf(id) % PLAYER_COLOURS}`;

/**
 * A kind of piece at a place: `count` of them, all of one owner. `things` are the objects, in order.
 * @typedef {{look: import("./pictures.js").Look, owner: number, count: number, things: Object[]}} Pile
 */

/** Whether an object is a piece, not the ground of a place: it is of something, or somebody's. */
export const isPiece = (thing) => thing.ships.size > 0 || thing.owner !== NOBODY;

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

/** What the ground of a place looks like. @returns {{terrain: string, pictures: {picture: string, count: number}[]}} */
function groundOf(universe, system, members) {
  const grounds = members.filter((thing) => !isPiece(thing));
  const told = [];
  const pictures = new Map();
  const add = (picture, count = 1) => picture && !PLAIN_GROUND.has(picture) && pictures.set(picture, (pictures.get(picture) ?? 0) + count);
  for (const thing of grounds) {
    for (const { values } of thing.groups) {
      for (const { form, value, description } of values) {
        const meaning = form === "integer" ? meaningOf(description, value) : "";
        if (meaning && meaning !== "yes" && meaning !== "no") told.push(meaning);
      }
    }
    if (thing !== system) add((lookOf(thing.name) ?? lookOf(thing.kind))?.picture);
    for (const [id, { total }] of thing.resources) {
      const name = universe.resourceName(id);
      if (!total) continue;
      const terrain = terrainOf([name]);
      if (terrain) told.push(name);
      else add(resourcePicture(name), total);
    }
  }
  return { terrain: terrainOf(told), pictures: [...pictures].map(([picture, count]) => ({ picture, count })) };
}

const use = (name, x, y, size, more = {}) =>
  s("use", { href: `#p-${name}`, x: x - size / 2, y: y - size / 2, width: size, height: size, ...more });

const SHAPES = {
  white: (r) => s("circle", { r }),
  green: (r) => s("circle", { r }),
  red: (r) => s("path", { d: `M0 ${-r * 1.08}L${r * 1.08} 0 0 ${r * 1.08} ${-r * 1.08} 0z`, "stroke-linejoin": "round" }),
  yellow: (r) => s("path", { d: `M${-r * 0.55} ${-r * 0.95}H${r * 0.55}L${r * 1.1} 0 ${r * 0.55} ${r * 0.95}H${-r * 0.55}L${-r * 1.1} 0z` }),
};

/** The dot of the normal view: the shape tells the same as the colour. */
export function dotMark(kind, radius) {
  const shape = SHAPES[kind](radius);
  shape.setAttribute("class", `dot d-${kind}`);
  return shape;
}

/** Where the n-th of so many marks stands around the middle, and how large it is. */
function placesFor(count, isTray) {
  if (isTray) {
    const perRow = Math.min(count, 5);
    const size = count > 5 ? 28 : 34;
    return Array.from({ length: count }, (_, at) => ({
      x: ((at % perRow) - (Math.min(perRow, count - Math.floor(at / perRow) * perRow) - 1) / 2) * 41,
      y: (Math.floor(at / perRow) - (Math.ceil(count / perRow) - 1) / 2) * 34,
      size,
    }));
  }
  if (count === 1) return [{ x: 0, y: 0, size: 44 }];
  if (count === 2) return [-1, 1].map((side) => ({ x: side * 14.5, y: 0, size: 28 }));
  return Array.from({ length: count }, (_, at) => ({ x: at % 2 ? 13 : -13, y: at < 2 ? -13 : 13, size: 24 }));
}

/** One pile: its picture, how many, and whose by colour, pattern and number. */
function pileMark(universe, pile, { x, y, size }) {
  const { look, owner, count } = pile;
  const mark = s("g", { class: `piece ${playerClass(universe, owner)}${look.tone ? ` tone-${look.tone}` : ""}`, transform: `translate(${x} ${y})` });
  mark.append(s("circle", { class: "plate", r: size * 0.54 }), use(look.picture, 0, 0, size * 0.82));
  if (look.mark) mark.append(s("circle", { class: "emblem", cx: -size * 0.36, cy: size * 0.36, r: size * 0.25 }), use(look.mark, -size * 0.36, size * 0.36, size * 0.36));
  if (count > 1) mark.append(badge(`${count > 999 ? "999+" : count}`, size * 0.4, -size * 0.42, size, "count"));
  if (owner !== NOBODY) mark.append(badge(String(owner), size * 0.42, size * 0.4, size, "owner"));
  return mark;
}

function badge(text, x, y, size, kind) {
  const height = Math.max(11, size * 0.36);
  const width = Math.max(height, text.length * height * 0.58 + height * 0.4);
  return s(
    "g",
    { class: `badge ${kind}`, transform: `translate(${x} ${y})` },
    s("rect", { x: -width / 2, y: -height / 2, width, height, rx: kind === "owner" ? height / 2 : 3 }),
    s("text", { y: height * 0.34, "font-size": height * 0.86, text }),
  );
}

/**
 * All that the normal view shows at a place.
 * @param {Object} universe @param {import("../core/views.js").Icon} icon @param {Object[]} members what belongs to it
 * @param {import("./layout.js").Spot} spot
 */
export function normalMarks(universe, icon, members, spot) {
  const { terrain, pictures } = groundOf(universe, icon.thing, members);
  const piles = pilesOf(universe, members);
  const isTray = spot.kind === "tray";
  const most = isTray ? MOST_IN_TRAY : MOST_IN_SQUARE;
  const shown = piles.length > most ? piles.slice(0, most - 1) : piles;
  const places = placesFor(Math.min(piles.length, most), isTray);
  const kind = colour(icon, universe.me);
  const marks = s("g", { class: "normal" });
  const standing = new Set(piles.map((pile) => pile.look.picture));
  marks.append(...groundMarks(pictures.filter(({ picture }) => !standing.has(picture)), piles.length > 0 && !isTray));
  const isBare = !piles.length;
  const dot = dotMark(kind, isBare ? (spot.kind === "star" ? 9 : 3.5) : isTray ? 7 : 29);
  if (isBare && kind === "white" && spot.kind === "square") dot.classList.add("bare");
  if (isTray) dot.setAttribute("transform", `translate(${-1.48 * CELL} ${-0.42 * CELL})`);
  else if (isBare && pictures.length) dot.setAttribute("transform", "translate(-25 25)");
  marks.append(dot, ...shown.map((pile, at) => pileMark(universe, pile, places[at])));
  if (shown.length < piles.length) {
    const { x, y, size } = places.at(-1);
    marks.append(badge(`+${piles.slice(shown.length).reduce((sum, pile) => sum + pile.count, 0)}`, x, y, size * 1.5, "count"));
  }
  return { marks, terrain };
}

/** Pictures of what lies on the ground: large where nobody stands on it, else in the corners. */
function groundMarks(pictures, isCovered) {
  const shown = pictures.slice(0, 4);
  return shown.map(({ picture, count }, at) => {
    const alone = shown.length === 1;
    const [x, y, size] =
      picture === "web" && !isCovered && alone ? [0, 0, 58]
      : isCovered ? [at % 2 ? 21 : -21, at < 2 ? -21 : 21, 19]
      : alone ? [0, 0, 42]
      : [at % 2 ? 14 : -14, at < 2 ? -13 : 13, 26];
    const mark = s("g", { class: `ground c-${picture}` }, use(picture, x, y, size));
    if (count > 1) mark.append(badge(count > 999 ? "999+" : String(count), x + size * 0.38, y - size * 0.36, size, "count"));
    return mark;
  });
}

/** The place of a resource among all, which decides its colour and pattern. */
function resourceIndex(universe, id) {
  return [...universe.resources.keys()].sort((one, other) => one - other).indexOf(id);
}

/** The class that carries a resource's colour. */
export function resourceClass(universe, id) {
  return `r-${toneOf(universe.resourceName(id)) || resourceIndex(universe, id) % RESOURCE_COLOURS}`;
}

/** The one or two letters that stand for a resource beside its colour. */
export function resourceLetters(universe, id) {
  const name = universe.resourceName(id);
  const taken = [...universe.resources.values()].filter((one) => one.id < id).map((one) => initials(one.name, 1));
  return initials(name, taken.includes(initials(name, 1)) ? 2 : 1);
}

function initials(name, count) {
  const parts = name.split(/\s+/).filter(Boolean);
  return (count > 1 && parts.length > 1 ? parts[0][0] + parts[1][0] : name.slice(0, count)).toUpperCase();
}

/** The pie of the resource view, null where there is nothing. */
export function pieMark(universe, map, icon, ticked) {
  const found = pie(map, icon, ticked);
  if (!found) return null;
  const radius = found.diameter / 2;
  const pieGroup = s("g", { class: "pie", "data-diameter": found.diameter.toFixed(1) });
  const mark = s("g", { class: "disc" });
  pieGroup.append(mark);
  // It may outgrow the map where that is small, but not its square.
  mark.style.setProperty("--room", Math.max(1, (CELL - 6) / found.diameter).toFixed(2));
  mark.append(s("circle", { class: "pie-base", r: radius }));
  let from = 0;
  for (const { resource, share } of found.slices) {
    mark.append(slice(radius, from, share, `slice ${resource === null ? "r-other" : resourceClass(universe, resource)}`));
    if (radius >= 11 && radius * share > 5) {
      const middle = 2 * Math.PI * (from + share / 2);
      const out = share > 0.99 ? 0 : radius * 0.6;
      const size = Math.min(16, Math.max(7, radius * (share > 0.99 ? 0.95 : 0.5)));
      mark.append(s("text", { class: "letters", x: out * Math.sin(middle), y: -out * Math.cos(middle) + size * 0.35, "font-size": size, text: resource === null ? "…" : resourceLetters(universe, resource) }));
    }
    from += share;
  }
  if (radius < 11) pieGroup.append(s("text", { class: "letters beside", y: CELL / 2 - 3, "font-size": 12, text: found.slices.slice(0, 3).map(({ resource }) => (resource === null ? "…" : resourceLetters(universe, resource))).join("·") }));
  return pieGroup;
}

function slice(radius, from, share, kind) {
  if (share > 0.9999) return s("circle", { class: kind, r: radius });
  const at = (part) => `${(radius * Math.sin(2 * Math.PI * part)).toFixed(2)} ${(-radius * Math.cos(2 * Math.PI * part)).toFixed(2)}`;
  return s("path", { class: kind, d: `M0 0L${at(from)}A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${at(from + share)}z` });
}

/** A place in words: its name, who is there, what stands there. */
export function placeWords(universe, icon, members) {
  const piles = pilesOf(universe, members);
  const pieces = piles.map((pile) => pileWords(universe, pile));
  const { terrain, pictures } = groundOf(universe, icon.thing, members);
  const ground = members.filter((thing) => !isPiece(thing)).flatMap((thing) => [...thing.resources].filter(([, { total }]) => total).map(([id, { total }]) => `${total} ${universe.resourceName(id, total)}`));
  return { name: universe.objectName(icon.thing.id), pieces, ground: ground.length || !(terrain || pictures.length) ? ground : [terrain].filter(Boolean) };
}

/** An object's name, with what it consists of where the name does not say it. */
export function thingWords(universe, thing) {
  const name = universe.objectName(thing.id);
  const [design] = thing.ships.keys();
  const of = universe.designs.get(design)?.name;
  return !of || plain(of).startsWith(plain(name)) || plain(name).includes(plain(of)) ? name : `${name}: ${of}`;
}

const plain = (text) => text.toLowerCase().replace(/\s/g, "");

/** "6 Black Ant (bob)". */
export function pileWords(universe, pile) {
  const [thing] = pile.things;
  const what = pile.things.every((one) => one.name === thing.name) ? thingWords(universe, thing) : thing.kind || thing.name;
  const owner = pile.owner === NOBODY ? "" : pile.owner === universe.me ? " (you)" : ` (${universe.playerName(pile.owner)})`;
  return `${pile.count > 1 ? `${pile.count} × ` : ""}${what}${owner}`;
}
