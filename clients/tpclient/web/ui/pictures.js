// Pictures for words. Any game may use any of these words.
// Other words get a pawn. Pictures have no effect on possible actions.

/** Rows of [words, picture], the most telling first; the words are patterns of lower-case words. */
const PICTURES = [
  ["young queens?|princess(es)?", "princess"],
  ["queens?", "queen"],
  ["worm segments?|segments?", "segment"],
  ["(earth)?worms?|snakes?", "worm"],
  ["termites?( bombs?)?|mines?", "termite"],
  ["ant ?lions?", "antlion"],
  ["leaders?|kings?|emperors?|generals?", "crown"],
  ["bombers?|bombs?", "bomber"],
  ["soldiers?|warriors?|guards?|fighters?", "soldier"],
  ["drones?|males?", "drone"],
  ["cocoons?|cocooned|captives?|prisoners?", "cocoon"],
  ["spider eggs?|fed eggs?|clutch(es)?|broods?", "brood"],
  ["eggs?", "egg"],
  ["larvae?|grubs?|caterpillars?", "larva"],
  ["spiders?", "spider"],
  ["(cob)?webs?", "web"],
  ["trails?|pheromones?|tracks?", "trail"],
  ["ant holes?|holes?|nests?|burrows? entrances?|craters?", "hole"],
  ["thrones?", "throne"],
  ["entrances?|gates?|doors?|portals?|sites?|wormholes?", "gate"],
  ["ant ?hills?|hives?|colony|colonies|swarms?", "colony"],
  ["ants?|workers?|termites|beetles?|bees?|insects?", "ant"],
  ["pine ?cones?|cones?", "cone"],
  ["magnifying( glass(es)?)?|lens(es)?|glass(es)?", "glass"],
  ["fungus|fungi|mushrooms?", "fungus"],
  ["wards?|shields?|walls?|forts?|fortress(es)?", "shield"],
  ["bridges?", "bridge"],
  ["foods?|crumbs?|fruits?|berry|berries|apples?|seeds?", "food"],
  ["lea(f|ves)|plants?|trees?|wood", "leaf"],
  ["artifacts?|artefacts?|relics?|treasures?", "artifact"],
  ["monuments?|temples?|wonders?|palaces?", "monument"],
  ["merchants?|monetary|money|coins?|gold|credits?|traders?", "coin"],
  ["scientists?|technolog\\w*|science|research|labs?", "flask"],
  ["mining|miners?|robots?|dig(ging)?|excavations?|excavated?", "pick"],
  ["raw materials?|materials?|ores?|minerals?|metals?|crystals?", "ore"],
  ["settlers?|people|teams?|colonists?|population|farmers?", "people"],
  ["hit points?|health|li(fe|ves)|armou?r", "heart"],
  ["destroyed|burn(t|ing)?|fires?|flames?|hits?|explosions?", "flame"],
  ["deaths?|dead|kills?|lost|loss(es)?", "skull"],
  ["steps?|move points?|movements?|moves?|speed", "step"],
  ["cubes?|boxes|blocks?", "cube"],
  ["die|dice", "die"],
  ["unknown|items?|carried|hidden", "item"],
  ["water|rain|sea", "water"],
  ["grass|meadows?", "grass"],
  ["stones?|rocks?|uninhabitable|mountains?", "stone"],
  ["kids?|players?|persons?|humans?|child(ren)?", "person"],
  ["homes?|houses?|bases?|capitals?|sides?|gardens?", "home"],
  ["fleets?|ships?|cruisers?|frigates?|battleships?|scouts?", "fleet"],
  ["planets?|moons?|worlds?", "planet"],
  ["stars?|suns?|systems?", "star"],
].map(([words, picture]) => [new RegExp(`\\b(?:${words})\\b`), picture]);

/** Pictures that say only what carries something; the other words then are a small mark on it. */
const HULLS = new Set(["fleet", "crown"]);
const GENERIC = "pawn";

const TONES = [
  [/\bblack\b/, "black"],
  [/\bred\b/, "red"],
  [/\bblue\b/, "blue"],
  [/\bgreen\b/, "green"],
  [/\b(yellow|gold(en)?)\b/, "yellow"],
  [/\bwhite\b/, "white"],
];

/** Kinds of ground, the most telling first. */
const TERRAINS = [
  [/\b(destroyed|burnt|crater)\b/, "burnt"],
  [/\b(water|sea|lake|river|swamp|ocean)\b/, "water"],
  [/\b(uninhabitable|rocks?|stones?|mountains?|walls?)\b/, "rock"],
  [/\b(excavated|dug|tunnels?|caves?)\b/, "dug"],
  [/\b(grass|meadows?|forests?)\b/, "grass"],
  [/\b(sand|deserts?)\b/, "sand"],
  [/\b(soil|earth|mud|dirt)\b/, "soil"],
];

/** Ground of boards whose places tell nothing of it. */
const BOARDS = [
  [/\b(pavement|streets?|roads?|yard|city)\b/, "paved"],
  [/\b(tunnels?|below|underground|throne|caves?|burrows?|cellar)\b/, "soil"],
  [/\b(surface|above|meadow|gardens?|field)\b/, "grass"],
  [/\b(galaxy|space|sector|cluster|universe|stars?)\b/, "space"],
  [/\b(board|table)\b/, "wood"],
];

/** "MerchantLeaderShip" and "merchant_leader" as lower-case words. */
export function words(text) {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .toLowerCase()
    .trim();
}

const known = new Map();
const tones = new Map();

/**
 * @typedef {{picture: string, mark: string, tone: string, symbol?: import("../core/appearance.js").Symbol, colour?: string}} Look `mark` and `tone` may be "";
 *   `symbol` and `colour` are the game's own
 * @param {string} text a name of anything
 * @returns {Look|null} null if no word of it has a picture
 */
export function lookOf(text) {
  if (!known.has(text)) {
    if (known.size > 5000) known.clear();
    known.set(text, find(words(text)));
  }
  return known.get(text);
}

function find(plain) {
  const found = PICTURES.filter(([pattern]) => pattern.test(plain)).map(([, picture]) => picture);
  if (!found.length) return null;
  const tone = TONES.find(([pattern]) => pattern.test(plain))?.[1] ?? "";
  const hull = found.find((one) => HULLS.has(one));
  const mark = hull ? (found.find((one) => !HULLS.has(one) && one !== "bomber") ?? "") : "";
  if (found.includes("bomber")) return { picture: "bomber", mark: "", tone };
  return { picture: hull ?? found[0], mark, tone };
}

/** The first of several names that has a picture; a pawn if none has. @returns {Look} */
function firstLook(...names) {
  for (const name of names) {
    const look = name && lookOf(name);
    if (look) return look;
  }
  return { picture: GENERIC, mark: "", tone: "" };
}

/** How an object looks: as its design or kind is declared, else by what it consists of, its kind, its name. @returns {Look} */
export function lookOfThing(universe, thing) {
  const [most] = [...thing.ships].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  const { designs, kinds } = universe.appearance;
  const [design, kind] = [most && designs.get(most[0]), kinds.get(thing.role)];
  const key = design?.symbol ? `design-${most[0]}` : `kind-${thing.role}`;
  const declared = design?.symbol ? design : kind?.symbol ? kind : null;
  if (declared) return { picture: key, mark: "", tone: "", symbol: declared.symbol, colour: design?.colour || kind?.colour };
  const look = firstLook(most && universe.designs.get(most[0])?.name, thing.kind, thing.name);
  return look.picture === GENERIC && !most && !thing.owner ? { ...look, picture: "place" } : look;
}

/** The picture of a resource's name, "" if it has none of its own. */
export function resourcePicture(name) {
  const look = lookOf(name);
  return look ? look.mark || look.picture : "";
}

/** The colour that words name, "" if they name none: "red cube" looks red. */
export function toneOf(text) {
  if (!tones.has(text)) {
    if (tones.size > 1000) tones.clear();
    tones.set(text, TONES.find(([pattern]) => pattern.test(words(text)))?.[1] ?? "");
  }
  return tones.get(text);
}

/**
 * The kind of ground that some words tell of, "" if they tell of none.
 * @param {string[]} names
 */
export function terrainOf(names) {
  const plain = words(names.join(" , "));
  return plain && (TERRAINS.find(([pattern]) => pattern.test(plain))?.[1] ?? "");
}

/** The kind of ground that a board's name tells of, "" if it tells of none. */
export const boardTerrain = (title) => BOARDS.find(([pattern]) => pattern.test(words(title)))?.[1] ?? "";

/**
 * What a number means, if its description lists it: of "0 soil, 1 grass; below 0" the number 1 is "grass"; of
 * "1 if the star is destroyed" 1 is "yes" and 0 "no". "" if it does not.
 */
export function meaningOf(description, number) {
  if (!meanings.has(description)) {
    if (meanings.size > 1000) meanings.clear();
    meanings.set(description, meaningsIn(description));
  }
  return meanings.get(description).get(number) ?? "";
}

const meanings = new Map();

/** All meanings that a description lists, by number; the first of a number counts. */
function meaningsIn(description) {
  if (/^1 if\b/.test(description)) return new Map([[1, "yes"], [0, "no"]]);
  const found = new Map();
  for (const part of description.split(/[,;]/)) {
    const [, value, meaning] = /^(?:or )?(\d+) (?:is |= ?|means )?(.+)$/.exec(part.trim()) ?? [];
    if (value !== undefined && !found.has(Number(value))) found.set(Number(value), meaning.replace(/^the /, ""));
  }
  return found;
}

let loaded;

/** Put our pictures into the page, once. A page without them works too. */
export function loadPictures(url = "pieces.svg") {
  loaded ??= fetch(url)
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText))))
    .then((source) => {
      const svg = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
      svg.setAttribute("class", "sprite");
      svg.setAttribute("aria-hidden", "true");
      document.body.prepend(document.importNode(svg, true));
    })
    .catch(() => {});
  return loaded;
}
