// What a game looks like: symbols of strangers, words for places, how all stand.

import { PLAIN, placeName, readAppearance, readStanding, readSymbol } from "/core/appearance.js";
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
  equal(evil, { symbol: null, colour: "", badges: [], inHand: false });
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

test("how all stand is read", () => {
  const standing = readStanding({ turn: 3, scores: [{ id: 1, figures: [{ name: "Gold", number: "-5" }] }], regions: [{ ids: [4, 5], owner: 2, name: "Nest" }], countsActions: true, actions: 2 });
  equal([...standing.scores], [[1, [{ name: "Gold", number: -5 }]]]);
  equal([standing.regions, standing.actions], [[{ ids: [4, 5], owner: 2, name: "Nest" }], { used: 0, most: 2 }]);
  equal(readStanding({}), { turn: 0, scores: new Map(), regions: [], actions: null });
});
