// Orders: values to frames and back, checks, and what refusals are about.

import { readAppearance } from "/core/appearance.js";
import { BadArgument, Refusal } from "/core/errors.js";
import {
  anyValues, descriptionWords, fieldsOf, isUnfinished, KIND, orderBody, orderWords, parameterAtFault, probeBody, problems, readOrder,
  sameOrder, valueWords, WIDGETS,
} from "/core/orders.js";
import { Universe } from "/core/universe.js";
import { equal, holds, test, throws } from "./checks.js";

const NAMES = Object.keys(KIND);
const everyKind = { id: 5, name: "All", parameters: NAMES.map((name, type) => ({ name, type, description: "" })) };

const VALUES = [
  [1, -2, 9007199254740993n],
  3,
  7,
  2,
  { object: 7, position: [0, 1, 2] },
  -4,
  new Map([[8, 2]]),
  "hé <b>",
  11,
  [1, 2],
  new Map([[6, 5]]),
  new Map([[9, 1]]),
];

const FRAMES = [
  { coordinates: { x: "1", y: "-2", z: "9007199254740993" } },
  { time: { turns: 3 } },
  { object: { objectId: 7 } },
  { player: { playerId: 2 } },
  { relativeCoordinates: { objectId: 7, pos: { x: "0", y: "1", z: "2" } } },
  { range: { value: -4 } },
  { list: { selection: [{ id: 8, number: 2 }] } },
  { string: { string: "hé <b>" } },
  { reference: { reference: 11 } },
  { referenceList: { references: [1, 2] } },
  { resourceList: { selected: [{ resourceId: 6, quantity: 5 }] } },
  { quantityList: { selection: [{ id: 9, number: 1 }] } },
];

function universe() {
  const made = new Universe();
  made.me = 1;
  made.objects.set(7, { id: 7, name: "Home", role: 3, kind: "Planet", queue: 7, position: [0, 0, 0] });
  made.objects.set(8, { id: 8, name: "", role: 4, kind: "Fleet", position: [0, 0, 0] });
  made.objectKinds.set(3, { id: 3, name: "Planet" });
  made.players.set(1, { id: 1, name: "ann" });
  made.players.set(2, { id: 2, name: "ben" });
  made.resources.set(6, { id: 6, name: "Seed", plural: "Seeds" });
  made.orderKinds.set(5, everyKind);
  return made;
}

const fielded = (type, told, value) =>
  fieldsOf({ parameters: [{ name: "It", type, description: "" }] }, told && readOrder({ parameters: [told] }), universe(), [value]);
const problemOf = (type, told, value) => problems(fielded(type, told, value), [value], universe())[0]?.text ?? "";

test("values become frames", () => {
  equal(orderBody(everyKind, 4, VALUES), { id: 4, slot: "-1", otype: 5, parameters: FRAMES });
  equal(orderBody(everyKind, 4, VALUES, 2).slot, "2");
  equal(probeBody(everyKind, 4, VALUES), { ...orderBody(everyKind, 4, VALUES), judged: 1 });
  equal(probeBody(everyKind, 4, VALUES, { slot: 2, replaces: true }), { ...orderBody(everyKind, 4, VALUES, 2), judged: 2 });
});

test("frames become values", () => {
  equal(readOrder({ id: 4, slot: "1", otype: 5, parameters: FRAMES }).values, VALUES);
});

test("what is absent in a frame has its default", () => {
  const empty = readOrder({ parameters: WIDGETS.map((name) => ({ [name]: {} })) });
  const nothing = new Map();
  equal(empty.values, [[0, 0, 0], 0, 0, 0, { object: 0, position: [0, 0, 0] }, 0, nothing, "", 0, [], nothing, nothing]);
  equal([empty.queue, empty.slot, empty.kind, empty.turns], [0, 0, 0, 0]);
  equal(readOrder({ parameters: [{}, null, { odd: {} }, { list: null }] }).values, [undefined, undefined, undefined, undefined]);
});

test("lists and texts may be left out, nothing else", async () => {
  const kind = (type) => ({ id: 1, parameters: [{ name: "It", type, description: "" }] });
  for (const type of [KIND.LIST, KIND.STRING, KIND.REFERENCE_LIST, KIND.RESOURCE_LIST, KIND.QUANTITY_LIST]) {
    equal(orderBody(kind(type), 1, []).parameters.length, 1);
  }
  for (const type of [KIND.COORDINATES, KIND.TIME, KIND.OBJECT, KIND.PLAYER, KIND.RELATIVE_COORDINATES, KIND.RANGE, KIND.REFERENCE]) {
    const error = await throws(() => orderBody(kind(type), 1, []), BadArgument, "It is missing: give");
    equal(error.parameter, 0);
  }
  await throws(() => orderBody(kind(99), 1, [1]), BadArgument, "type 99");
});

test("values that do not fit are named", async () => {
  const wrong = [
    [KIND.COORDINATES, [1, 2]], [KIND.COORDINATES, [1, 2, 2n ** 63n]], [KIND.COORDINATES, [1, 2, 1.5]],
    [KIND.COORDINATES, [1, 2, "3"]], [KIND.TIME, 2 ** 31], [KIND.TIME, NaN], [KIND.OBJECT, -1], [KIND.OBJECT, 2 ** 32],
    [KIND.RELATIVE_COORDINATES, { object: 1 }], [KIND.RANGE, "5"], [KIND.LIST, new Map([[1, 1.5]])], [KIND.LIST, [1]],
    [KIND.STRING, 5], [KIND.STRING, "\ud800"], [KIND.REFERENCE_LIST, [-1]], [KIND.RESOURCE_LIST, new Map([["x", 1]])],
  ];
  for (const [type, value] of wrong) {
    const kind = { id: 1, parameters: [{ name: "Fine", type: KIND.STRING }, { name: "Bad", type }] };
    const error = await throws(() => orderBody(kind, 1, ["", value]), BadArgument, "Bad has to be");
    equal(error.parameter, 1);
    holds(problemOf(type, null, value), `${type} ${String(value)}`);
  }
});

test("none of something is not chosen", () => {
  const kind = { id: 1, parameters: [{ name: "It", type: KIND.LIST }] };
  equal(orderBody(kind, 1, [new Map([[1, 0], [2, 1]])]).parameters, [{ list: { selection: [{ id: 2, number: 1 }] } }]);
});

test("fields tell limits and choices", () => {
  const told = [
    [KIND.TIME, { time: { turns: 2, maxTime: 9 } }, { max: 9 }],
    [KIND.OBJECT, { object: { objectId: 7, validTypes: [3] } }, { kinds: [3] }],
    [KIND.PLAYER, { player: { mask: 8 } }, { mask: 8 }],
    [KIND.RANGE, { range: { minValue: 2, maxValue: 8, increment: 3 } }, { min: 2, max: 8, step: 3 }],
    [KIND.STRING, { string: { maxLength: 4 } }, { longest: 4 }],
    [KIND.REFERENCE, { reference: { allowed: [1] } }, { allowed: [1] }],
    [KIND.LIST, { list: { possibleSelections: [{ id: 1, name: "<i>", maxNumber: 2 }] } }, { options: [{ id: 1, name: "<i>", most: 2 }] }],
    [
      KIND.RESOURCE_LIST,
      { resourceList: { allowed: [{ resourceId: 6, maximum: 3 }], maxMass: 4 } },
      { options: [{ id: 6, name: "Seed", most: 3 }], mass: 4, volume: 0 },
    ],
    [KIND.QUANTITY_LIST, { quantityList: { possibles: [{ id: 1, name: "x", maximum: "-1" }] } }, { options: [{ id: 1, name: "x", most: -1, references: [] }] }],
  ];
  for (const [type, frame, limits] of told) {
    const [field] = fielded(type, frame);
    equal([field.known, field.widget], [true, WIDGETS[type]]);
    for (const [name, value] of Object.entries(limits)) equal(field[name], value, name);
  }
  equal(fielded(KIND.LIST, null)[0].known, false);
  equal(fielded(99, null)[0].widget, "");
});

test("problems are sentences about one parameter", () => {
  const range = { range: { minValue: 2, maxValue: 8, increment: 3 } };
  equal(problemOf(KIND.RANGE, range, 9), "It has to be from 2 to 8.");
  equal(problemOf(KIND.RANGE, range, 4), "It goes in steps of 3 from 2.");
  equal([problemOf(KIND.RANGE, range, 5), problemOf(KIND.RANGE, null, -5)], ["", ""]);
  equal(problemOf(KIND.TIME, { time: { maxTime: 3 } }, 4), "It may be at most 3 turns.");
  equal(problemOf(KIND.TIME, null, -1), "It has to be 0 or more turns.");
  equal(problemOf(KIND.OBJECT, null, 99), "It: the chosen object no longer exists, or you cannot see it now.");
  equal(problemOf(KIND.OBJECT, { object: { validTypes: [3] } }, 8), "It has to be a Planet; Fleet 8 is a Fleet.");
  equal(problemOf(KIND.OBJECT, { object: { validTypes: [3] } }, 7), "");
  equal(problemOf(KIND.OBJECT, null, undefined), "It is missing: give an object.");
  equal(problemOf(KIND.PLAYER, null, 3), "It: choose a player of this game.");
  equal(problemOf(KIND.STRING, { string: { maxLength: 2 } }, "äöü"), "It may have 2 characters; it has 3.");
  const list = { list: { possibleSelections: [{ id: 1, name: "ant", maxNumber: 2 }] } };
  equal(problemOf(KIND.LIST, list, new Map([[1, 3]])), "It: there are only 2 of ant.");
  equal(problemOf(KIND.LIST, list, new Map([[2, 1]])), "It: this choice is no longer possible.");
  equal([problemOf(KIND.LIST, list, new Map([[1, 2]])), problemOf(KIND.LIST, null, new Map([[2, 1]]))], ["", ""]);
  equal(problemOf(99, null, 1), "It is of type 99, which this client does not know.");
});

test("a refusal is about the parameter that it names", () => {
  const kind = { parameters: [{ name: "To", type: 2 }, { name: "Total", type: 5 }, { name: "By", type: 3 }] };
  const about = (text, references, values = [7, 1, 2]) => parameterAtFault(new Refusal(5, text, references), kind, values);
  equal(about("Whatever.", [{ type: -1000, id: 1 }]), 1);
  equal(about("Whatever.", [{ type: -1000, id: 9 }]), -1);
  equal(about("Whatever.", [{ type: 13, id: 7 }, { type: 1, id: 7 }]), 0);
  equal(about("Whatever.", [{ type: 7, id: 2 }]), 2);
  equal(about("Total: too much of it.", []), 1);
  equal(about("You cannot go to that.", []), 0);
  equal(about("Tomorrow is too late.", []), -1);
});

test("orders are the same by kind and values", () => {
  const one = { kind: 5, values: VALUES };
  holds(sameOrder(one, { kind: 5, values: [...VALUES] }), "same");
  holds(!sameOrder(one, { kind: 6, values: VALUES }), "other kind");
  const two = { kind: 1, values: [new Map([[1, 1], [2, 2]])] };
  holds(sameOrder(two, { kind: 1, values: [new Map([[2, 2], [1, 1], [3, 0]])] }), "whatever their sequence");
});

test("an order is told in words", () => {
  const parameters = [...FRAMES];
  parameters[6] = { list: { ...FRAMES[6].list, possibleSelections: [{ id: 8, name: "leaf", maxNumber: 2 }] } };
  const words = orderWords(readOrder({ otype: 5, parameters }), universe());
  equal(
    words,
    "All: COORDINATES: 1, -2, 9007199254740993; TIME: 3 turns; OBJECT: Home; PLAYER: ben; RELATIVE_COORDINATES: Home + 0, 1, 2; " +
      "RANGE: -4; LIST: 2 leaf; STRING: hé <b>; REFERENCE: 11; REFERENCE_LIST: 1, 2; RESOURCE_LIST: 5 Seed; QUANTITY_LIST: 9",
  );
  equal(orderWords({ kind: 77, parameters: [], values: [] }, universe()), "an order that is not described");
});

test("an order is told by the sentence of the game, with units and with what is not chosen", () => {
  const known = universe();
  known.objects.set(9, { ...known.objects.get(8), id: 9, role: 4, name: "Fleet", parent: 7, ships: new Map([[1, 1]]) });
  const told = (sentence, more = {}) => (known.appearance = readAppearance({ orders: [{ otype: 5, name: "Do", sentence, parameters: ["point", "time"] }], ...more }));
  const words = (parameters = FRAMES) => orderWords(readOrder({ otype: 5, parameters }), known);
  told("Go to {OBJECT} for {TIME|day|days}, {RANGE|step|steps}, {NOTHING}");
  equal(words(), "Go to Home for 3 days, -4 steps, {NOTHING}");
  equal(words(FRAMES.with(1, { time: { turns: 1 } })), "Go to Home for 1 day, -4 steps, {NOTHING}");
  equal(words(FRAMES.with(2, { object: { validTypes: [2] } })), "Go to (object not chosen) for 3 days, -4 steps, {NOTHING}");
  told("Attack {OBJECT}", { objectTypes: [{ id: 4, words: "ship", nameless: true }], designs: [{ id: 1, words: "black ant" }] });
  equal(words(FRAMES.with(2, { object: { objectId: 9 } })), "Attack black ant at Home");
  told("");
  holds(words().startsWith("Do: Point: 1, -2, 9007199254740993; Time: 3 turns; OBJECT: Home"));
});

test("who may choose the root beside what is meant chooses nothing in particular, and is told so in words", () => {
  const kind = { parameters: [{ name: "where", type: KIND.OBJECT, description: "The square, or 0 for the first one that is free" }] };
  const [field] = fieldsOf(kind, readOrder({ parameters: [{ object: { objectId: 0, validTypes: [0, 3] } }] }), universe());
  equal(descriptionWords(field), "The square, or “none in particular” for the first one that is free");
  equal(valueWords(field, universe()), "none in particular");
  equal(valueWords({ ...field, value: 7 }, universe()), "Home");
  const [only] = fieldsOf(kind, readOrder({ parameters: [{ object: { objectId: 0, validTypes: [0] } }] }), universe());
  equal([descriptionWords(only), valueWords(only, universe())], [kind.parameters[0].description, "object 0"]);
});

test("references of one sort are told by name", () => {
  const kind = { parameters: [{ name: "which", type: KIND.REFERENCE, description: "" }] };
  const words = (allowed) => valueWords(fieldsOf(kind, readOrder({ parameters: [{ reference: { reference: 2, allowed } }] }), universe())[0], universe());
  equal([words([7]), words([7, 1]), words([1])], ["ben", "2", "2"]);
});

test("what is not chosen yet in a draft is no value", () => {
  const draft = (turns, ...parameters) => readOrder({ otype: 5, turns, parameters });
  const unset = draft(0, { object: { validTypes: [2] } });
  equal(unset.values, [undefined]);
  holds(isUnfinished(unset));
  equal(draft(0, { object: { validTypes: [0, 2] } }, { object: {} }, { object: { objectId: 1, validTypes: [2] } }).values, [0, 0, 1]);
  const lowest = { range: { value: 1, minValue: 1, maxValue: 5 } };
  holds(isUnfinished(draft(0, lowest)) && !isUnfinished(draft(1, lowest)));
  holds(!isUnfinished(draft(0, { object: { objectId: 7, validTypes: [2] } })), "there are games whose orders take no turns");
  const kind = { id: 5, name: "All", parameters: [{ name: "to", type: KIND.OBJECT, description: "" }] };
  throws(() => orderBody(kind, 1, unset.values), BadArgument);
});

test("anything can be probed to learn what may be chosen", () => {
  const values = anyValues(everyKind, universe().objects.get(7), universe(), [undefined, 4]);
  equal([values[1], values[2], values[3]], [4, 7, 1]);
  equal(orderBody(everyKind, 1, values).parameters.length, 12);
});
