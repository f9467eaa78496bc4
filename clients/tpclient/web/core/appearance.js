// Appearance and wording of a game, and scores, read from frames.
// The Appearance frame has the appearance and the words, the Standing frame the scores. The wording for people is
// decided here and in Universe.
//
// Strangers write rulesets, and servers may be old or faulty. So symbols are checked here again, and become plain data
// with the parts listed below only. Python's `tprules.api.symbols` reads the same (tests/clients/symbol_cases.json).

import { list, text, whole } from "./values.js";

const LONGEST_SYMBOL = 4096;
const MOST_ELEMENTS = 64;
const DEEPEST = 8;
const LONGEST_WORDS = 100;
const LONGEST_SENTENCE = 200;
const MOST_BADGES = 2;
const MOST_FIGURES = 8;

const NUMBER = "-?(?:[0-9]{1,6}(?:\\.[0-9]{0,6})?|\\.[0-9]{1,6})";
const ONE = new RegExp(`^${NUMBER}$`);
const PAINT = /^(?:none|currentColor|#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6})$/;
const PAINTED = {
  fill: PAINT,
  stroke: PAINT,
  "stroke-width": ONE,
  "stroke-linecap": /^(?:butt|round|square)$/,
  "stroke-linejoin": /^(?:miter|round|bevel)$/,
  opacity: /^(?:0?\.[0-9]{1,6}|[01])$/,
};
const numbers = (...names) => Object.fromEntries(names.map((name) => [name, ONE]));
const ELEMENTS = new Map(
  Object.entries({
    g: {},
    path: { d: /^[MmLlHhVvCcSsQqTtAaZz0-9., -]+$/ },
    circle: numbers("cx", "cy", "r"),
    rect: numbers("x", "y", "width", "height", "rx"),
    polygon: { points: new RegExp(`^${NUMBER}(?:[ ,]+${NUMBER})*$`) },
    line: numbers("x1", "y1", "x2", "y2"),
  }).map(([tag, geometry]) => [tag, new Map(Object.entries({ ...geometry, ...PAINTED }))]),
);
const ROOT = new Map(Object.entries({ viewBox: new RegExp(`^${NUMBER} ${NUMBER} [0-9]{1,4} [0-9]{1,4}$`), xmlns: /^http:[/]{2}www[.]w3[.]org[/]2000[/]svg$/, ...PAINTED }));
const TAG = /[ \t\r\n]*<(?:\/([a-z]+)|([a-z]+)((?:[ \t\r\n]+[a-zA-Z0-9-]+="[^"<>&]*")*)[ \t\r\n]*(\/?))>/y;

/**
 * An element of a symbol: "g", "path", "circle" or "rect"; `properties` are attributes of SVG.
 * @typedef {{tag: string, properties: Object<string, string>, children: Element[]}} Element
 */
/** @typedef {{box: number[], root: Element}} Symbol `box`: x, y, width and height of what is seen; `root` is a "g" */

/** Read a symbol. @param {string} source @returns {Symbol|null} null for anything that is not allowed in one */
export function readSymbol(source) {
  if (source.length > LONGEST_SYMBOL) return null;
  const open = [];
  let [at, count, root, box] = [0, 0, null, null];
  while (!/^[ \t\r\n]*$/.test(source.slice(at))) {
    TAG.lastIndex = at;
    const match = TAG.exec(source);
    if (!match || (at && !open.length)) return null;
    at = TAG.lastIndex;
    const [, ended, tag, attributes, closed] = match;
    if (ended) {
      if (open.pop()?.tag !== ended) return null;
      continue;
    }
    const outer = open.at(-1);
    if (outer ? !["svg", "g"].includes(outer.tag) || !ELEMENTS.has(tag) : tag !== "svg") return null;
    const properties = readAttributes(attributes, outer ? ELEMENTS.get(tag) : ROOT);
    if (!properties) return null;
    const element = { tag, properties, children: [] };
    if (outer) {
      outer.children.push(element);
      if (++count > MOST_ELEMENTS) return null;
    } else {
      box = properties.viewBox?.split(" ").map(Number);
      if (!box || !box[2] || !box[3]) return null;
      root = element;
    }
    if (!closed && open.push(element) > DEEPEST + 1) return null;
  }
  return open.length || !count ? null : { box, root: simple(root) };
}

function readAttributes(attributes, allowed) {
  const found = {};
  for (const [, name, value] of attributes.matchAll(/\s*([^\s=]+)="([^"]*)"/gy)) {
    if (!allowed.get(name)?.test(value) || Object.hasOwn(found, name)) return null;
    found[name] = value;
  }
  return found;
}

/** The same with paths in the place of polygons and lines, and without what was only for the reader. */
function simple({ tag, properties, children }) {
  const { viewBox, xmlns, points, x1 = 0, y1 = 0, x2 = 0, y2 = 0, ...rest } = properties;
  if (tag === "polygon") return { tag: "path", properties: { ...rest, d: `M${points}z` }, children: [] };
  if (tag === "line") return { tag: "path", properties: { ...rest, d: `M${x1} ${y1}L${x2} ${y2}` }, children: [] };
  return { tag: tag === "svg" ? "g" : tag, properties: rest, children: children.map(simple) };
}

// --- appearance

/**
 * `words` are what one of it is called, `each` what follows a number of it; both may be "". `isNameless`: such objects are
 * called by words and not by their names.
 * @typedef {{symbol: Symbol|null, colour: string, badges: number[], inHand: boolean, words: string, each: string,
 *   isNameless: boolean}} Look
 */
/**
 * What people call a type of order: `name` is a verb, `parameters` are in their order; `stays`: it remains in the queue as a rule
 * when a turn ends. All texts may be "".
 * @typedef {{name: string, sentence: string, parameters: string[], stays: boolean}} OrderWords
 */
/**
 * `players` are colours by player id, `places` words with {board}, {column} and {row}; all texts may be "".
 * @typedef {{players: Map<number, string>, isHexagonal: boolean, places: string, boards: Map<string, string>, hand: string,
 *   kinds: Map<number, Look>, designs: Map<number, Look>, resources: Map<number, Look>, orders: Map<number, OrderWords>}} Appearance
 */

const colourOf = (value) => (/^#[0-9a-fA-F]{6}$/.test(text(value)) ? value : "");
const wordsOf = (value) => text(value).slice(0, LONGEST_WORDS);

/** @param {Object} body of an Appearance frame @returns {Appearance} */
export function readAppearance(body) {
  const looks = (value) => new Map(list(value).map((one) => [whole(one.id), readLook(one)]));
  return {
    players: new Map(list(body.players).map((colour, at) => [at + 1, colourOf(colour)]).filter(([, colour]) => colour)),
    isHexagonal: whole(body.cells) === 1,
    places: wordsOf(body.places),
    boards: new Map(list(body.boards).map((one) => [text(one.name), wordsOf(one.words)])),
    hand: wordsOf(body.hand),
    kinds: looks(body.objectTypes),
    designs: looks(body.designs),
    resources: looks(body.resources),
    orders: new Map(list(body.orders).map((one) => [whole(one.otype), readOrderWords(one)])),
  };
}

const readLook = (one) => ({
  symbol: readSymbol(text(one.symbol)),
  colour: colourOf(one.colour),
  badges: list(one.badges).slice(0, MOST_BADGES).map(whole),
  inHand: one.inHand === true,
  words: wordsOf(one.words),
  each: wordsOf(one.each),
  isNameless: one.nameless === true,
});

const readOrderWords = (one) => ({
  name: wordsOf(one.name),
  sentence: text(one.sentence).slice(0, LONGEST_SENTENCE),
  parameters: list(one.parameters).map(wordsOf),
  stays: one.stays === true,
});

/** What a game looks like that says nothing. */
export const PLAIN = Object.freeze(readAppearance({}));

/** How names of places begin that say where they are: "5, 3", "b4", "0:5,3" on board 0. */
export const COORDINATES = /^(?:\d+:)?(-?\d{1,4}(?=,)|[a-zA-Z]{1,2}),? ?(-?\d{1,4})\b/;

/**
 * What a place is called.
 * @param {Appearance} appearance @param {string} name of its object @param {string} board the name of its board
 * @returns {string} `name` where the game has no other words
 */
export function placeName({ places, boards }, name, board) {
  const [, column, row] = (places && COORDINATES.exec(name)) || [];
  if (column === undefined) return name;
  const words = { board: boards.get(board) ?? board, column, row };
  return places.replace(/\{(board|column|row)\}/g, (_, which) => words[which]);
}

/** How words begin that stand by themselves. @param {string} words @returns {string} */
export const capital = (words) => words.replace(/^./u, (letter) => letter.toUpperCase());

/**
 * So much of something that has words: "3 hit points"; only the words where the number tells people nothing.
 * @param {Look} look @param {number|bigint} amount @returns {string}
 */
export function countWords({ words, each }, amount) {
  if (!each) return words;
  return `${amount} ${amount === 1 ? words : each}`;
}

/**
 * The sentence of an order, with values where it names parameters.
 * @param {string} sentence {NAME}, or {NAME|one|several} behind which its unit is told
 * @param {(name: string, one: string|undefined, several: string|undefined) => string|undefined} valueOf undefined: it has no such parameter
 */
export function filledIn(sentence, valueOf) {
  return sentence.replace(/\{([^{}|]*)(?:\|([^{}|]*)\|([^{}|]*))?\}/g, (all, name, one, several) => valueOf(name, one, several) ?? all);
}

// --- standing

/**
 * `scores`: by player id, names and numbers; `actions`: null if they are not counted.
 * @typedef {{turn: number, scores: Map<number, {name: string, number: number|bigint}[]>,
 *   regions: {ids: number[], owner: number, name: string}[], actions: {used: number, most: number}|null}} Standing
 */

/** @param {Object} body of a Standing frame @returns {Standing} */
export function readStanding(body) {
  const figures = (value) => list(value).slice(0, MOST_FIGURES).map((one) => ({ name: wordsOf(one.name), number: whole(one.number) }));
  return {
    turn: whole(body.turn),
    scores: new Map(list(body.scores).map((one) => [whole(one.id), figures(one.figures)])),
    regions: list(body.regions).map((one) => ({ ids: list(one.ids).map(whole), owner: whole(one.owner), name: text(one.name) })),
    actions: body.countsActions ? { used: whole(body.actionsUsed), most: whole(body.actions) } : null,
  };
}
