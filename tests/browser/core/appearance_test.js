// What a game looks like: symbols of strangers, words for places, how all stand.

import { PLAIN, capital, countWords, filledIn, placeName, readAppearance, readStanding, readSymbol } from "/core/appearance.js";
import { Universe } from "/core/universe.js";
import { equal, holds, test } from "./checks.js";

const svg = (inner) => `<svg viewBox="0 0 9 9">${inner}</svg>`;
const dot = '<circle r="1"/>';

test("a symbol is read as plain data, polygons and lines as paths", () => {
  equal(readSymbol('<svg viewBox="-1 0 9 8" fill="none"><g opacity=".5"><polygon points="0,0 1,1"/></g><line x2="4" y2="-2" stroke="#f00"/></svg>'), {
    box: [-1, 0, 9, 8],
    root: {
      tag: "g",
      properties: { fill: "none" },
      children: [
        { tag: "g", properties: { opacity: ".5" }, children: [{ tag: "path", properties: { d: "M0,0 1,1z" }, children: [] }] },
        { tag: "path", properties: { stroke: "#f00", d: "M0 0L4 -2" }, children: [] },
      ],
    },
  });
});

test("a symbol is bounded in characters, elements and depth", () => {
  holds(readSymbol(svg(dot.repeat(64))));
  holds(readSymbol(svg("<g>".repeat(8) + "</g>".repeat(8))));
  equal(readSymbol(svg(dot.repeat(65))), null);
  equal(readSymbol(svg("<g>".repeat(9) + "</g>".repeat(9))), null);
  equal(readSymbol(svg(dot + " ".repeat(4096))), null);
});

test("what is declared is read, and nothing else", () => {
  const looks = readAppearance({
    players: ["#a00000", "red", "#0000A0"],
    objectTypes: [{ id: 4, symbol: svg(dot), colour: "#123456", badges: [1, 2, 3], inHand: true }, { id: 5, symbol: svg("<script/>"), colour: "url(x)" }],
    hand: "h".repeat(5000),
  });
  equal([...looks.players], [[1, "#a00000"], [3, "#0000A0"]]);
  const [known, evil] = [4, 5].map((id) => looks.kinds.get(id));
  equal([known.symbol.box, known.colour, known.badges, known.inHand], [[0, 0, 9, 9], "#123456", [1, 2], true]);
  equal(evil, { symbol: null, colour: "", badges: [], inHand: false, words: "", each: "", isNameless: false });
  equal(looks.hand.length, 100);
});

test("places are called by the words of the game", () => {
  const looks = readAppearance({ places: "{board} {column},{row}", boards: [{ name: "The Tunnels", words: "Tunnels" }] });
  equal(placeName(looks, "1:8,6", "The Tunnels"), "Tunnels 8,6");
  equal(placeName(looks, "8, 6 below", "Below"), "Below 8,6");
  equal(placeName(looks, "b4", "$&"), "$& b,4");
  equal(placeName(looks, "ann's System", "The Tunnels"), "ann's System");
  equal(placeName(PLAIN, "1:8,6", "The Tunnels"), "1:8,6");
});

test("objects are called by them too, and what is off the board is somebody's hand", () => {
  const universe = new Universe();
  universe.me = 1;
  const add = (id, name, parent, role, owner = 0) => universe.objects.set(id, { id, name, parent, role, owner, contains: [id + 1], ships: new Map() });
  add(0, "All", 0, 0);
  add(1, "The Tunnels", 0, 1);
  add(2, "1:8,6", 1, 2);
  add(3, "ann's System", 1, 2);
  add(4, "ann's Home Planet", 3, 3, 1);
  universe.players.set(2, { id: 2, name: "ben" });
  add(5, "ben's System", 1, 2);
  add(6, "ben's Home Planet", 5, 3, 2);
  equal([2, 3, 4].map((id) => universe.objectName(id)), ["1:8,6", "ann's System", "ann's Home Planet"]);
  universe.appearance = readAppearance({ places: "{board} {column},{row}", hand: "hand" });
  equal([2, 3, 4, 5, 6].map((id) => universe.objectName(id)), ["The Tunnels 8,6", "Your hand", "Your hand", "ben's hand", "ben's hand"]);
});

test("words for pieces, resources and orders are read, and bounded", () => {
  const long = "w".repeat(5000);
  const { kinds, orders } = readAppearance({
    objectTypes: [{ id: 4, words: long, each: long, nameless: true }],
    orders: [{ otype: 7, name: long, sentence: long, parameters: [long, "", 5], stays: true }, { otype: 8 }],
  });
  const { words, each, isNameless } = kinds.get(4);
  equal([words.length, each.length, isNameless], [100, 100, true]);
  const told = orders.get(7);
  equal([told.name.length, told.sentence.length, told.parameters.map((one) => one.length), told.stays], [100, 200, [100, 0, 0], true]);
  equal(orders.get(8), { name: "", sentence: "", parameters: [], stays: false });
});

test("amounts are told with a plural, or by words alone where the number tells nothing", () => {
  const point = { words: "hit point", each: "hit points" };
  equal([0, 1, 2, 2n ** 60n].map((amount) => countWords(point, amount)), ["0 hit points", "1 hit point", "2 hit points", "1152921504606846976 hit points"]);
  equal(countWords({ words: "caught in a web", each: "" }, 1), "caught in a web");
  equal([capital("élan"), capital("𝒶b"), capital("")], ["Élan", "𝒶b", ""]);
});

test("a sentence is filled in, and what names no parameter stays as it is", () => {
  const values = (name, one, several) => ({ to: "b4", many: one && `3 ${several}`, odd: "$& {to}" })[name];
  equal(filledIn("Move to {to}: {many|step|steps}, {many}, {none} {odd}", values), "Move to b4: 3 steps, {many}, {none} $& {to}");
});

/** A board with a place, on which a worker, ants and a piece with a name lie. */
function table() {
  const universe = new Universe();
  universe.me = 1;
  const add = (id, name, parent, role, ships = []) => universe.objects.set(id, { id, name, parent, role, owner: 1, kind: `Kind ${role}`, contains: [], ships: new Map(ships) });
  add(0, "All", 0, 0);
  add(1, "Board", 0, 1);
  add(2, "b4", 1, 2);
  add(3, "Ground b4", 2, 3);
  add(4, "AntFleet", 2, 4, [[1, 1]]);
  add(5, "AntFleet", 2, 4, [[1, 5]]);
  add(6, "Red 3", 2, 16, [[1, 1]]);
  universe.objectKinds.set(3, { id: 3, name: "Planet" });
  universe.objectKinds.set(4, { id: 4, name: "Fleet" });
  universe.designs.set(1, { id: 1, name: "BlackAnt" });
  universe.designs.set(2, { id: 2, name: "RedAnt" });
  universe.resources.set(1, { id: 1, name: "HitPoint", plural: "HitPoints" });
  universe.orderKinds.set(7, { id: 7, name: "NoOp", parameters: [{ name: "duration" }, { name: "why" }] });
  return universe;
}

const TOLD = {
  objectTypes: [{ id: 3, words: "ground", nameless: true }, { id: 4, words: "fleet", each: "fleets", nameless: true }],
  designs: [{ id: 1, words: "black ant", each: "black ants" }],
  resources: [{ id: 1, words: "hit point", each: "hit points" }],
  orders: [{ otype: 7, name: "Wait", parameters: ["turns"] }],
};

test("things are called by the words of the game, and as the server stores them where it has none or they are wanted", () => {
  const universe = table();
  const names = () => [3, 4, 5, 6].map((id) => universe.objectName(id));
  const others = () => [
    universe.kindName(4), universe.kindName(9), universe.designName(1), universe.designName(2, 3), universe.shipWords({ ships: new Map([[1, 2], [2, 3]]) }),
    universe.resourceName(1, 2), universe.amountWords(1, 1), universe.orderName(universe.orderKinds.get(7)), universe.parameterName(universe.orderKinds.get(7), 0),
    universe.parameterName(universe.orderKinds.get(7), 1),
  ];
  const stored = ["Fleet", "", "BlackAnt", "RedAnt", "2 × BlackAnt, 3 × RedAnt", "HitPoints", "1 HitPoint", "NoOp", "duration", "why"];
  equal(names(), ["Ground b4", "AntFleet", "AntFleet", "Red 3"]);
  equal(others(), stored);
  universe.appearance = readAppearance(TOLD);
  equal(names(), ["Ground of b4", "Black ant", "5 black ants", "Red 3"]);
  equal([3, 4, 6].map((id) => universe.objectPhrase(id)), ["ground of b4", "black ant", "Red 3"]);
  equal(others(), ["fleet", "", "black ant", "RedAnt", "2 black ants, 3 × RedAnt", "hit points", "1 hit point", "Wait", "Turns", "why"]);
  universe.isNamedAsStored = true;
  equal(names(), ["Ground b4", "AntFleet", "AntFleet", "Red 3"]);
  equal(others(), stored);
});

test("how all stand is read", () => {
  const standing = readStanding({ turn: 3, scores: [{ id: 1, figures: [{ name: "Gold", number: "-5" }] }], regions: [{ ids: [4, 5], owner: 2, name: "Nest" }], countsActions: true, actions: 2 });
  equal([...standing.scores], [[1, [{ name: "Gold", number: -5 }]]]);
  equal([standing.regions, standing.actions], [[{ ids: [4, 5], owner: 2, name: "Nest" }], { used: 0, most: 2 }]);
  equal(readStanding({}), { turn: 0, scores: new Map(), regions: [], actions: null });
});
