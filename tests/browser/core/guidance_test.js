// What a player is told of a first turn, and before a turn is finished.

import { readAppearance } from "/core/appearance.js";
import { actors, finishWords, isAwaited, isEarly, orderTitle } from "/core/guidance.js";
import { Universe } from "/core/universe.js";
import { equal, test } from "./checks.js";

const listed = (names) => names.join(" and ");

function universe() {
  const made = new Universe();
  made.me = 1;
  const put = (id, name, owner = 1) => made.objects.set(id, { id, name, owner, queue: id, kind: "Piece" });
  for (const [id, name] of [[4, "Ant"], [5, "Hand"], [6, "Ant"], [7, "Ant"]]) put(id, name);
  put(8, "Ant", 2);
  put(9, "Stone");
  made.orderKinds.set(1, { id: 1, name: "Move", parameters: [{ name: "to" }] });
  made.orderKinds.set(2, { id: 2, name: "Wait", parameters: [] });
  const takes = { 4: [1], 5: [2, 1], 6: [1], 7: [2], 8: [1], 9: [] };
  for (const [id, kinds] of Object.entries(takes)) made.queues.set(Number(id), { id: Number(id), count: 0, most: 9, kinds });
  for (const [id, name] of [[1, "ann"], [2, "ben"]]) made.players.set(id, { id, name });
  return made;
}

const clock = (more) => ({ turn: 1, waiting: [1], computing: false, over: false, deadline: null, ...more });

test("my pieces that take orders now are told, those of one name together", () => {
  const made = universe();
  const found = () => actors(made).map(({ name, things, kinds }) => [name, things.map((thing) => thing.id), kinds.map((kind) => orderTitle(kind, made))]);
  equal(found(), [["Ant", [4, 6, 7], ["Move (to)", "Wait"]], ["Hand", [5], ["Move (to)", "Wait"]]]);
  made.appearance = readAppearance({ orders: [{ otype: 1, name: "Go", parameters: ["square"] }] });
  equal(found()[1], ["Hand", [5], ["Go (Square)", "Wait"]]);
});

test("only who is awaited in a turn that lasts is awaited", () => {
  const player = { universe: universe(), over: false, isWatching: false };
  const told = [clock(), clock({ waiting: [2] }), clock({ computing: true }), clock({ over: true }), null];
  equal(told.map((one) => isAwaited({ ...player, clock: one })), [true, false, false, false, false]);
  equal([isAwaited({ ...player, clock: clock(), over: true }), isAwaited({ ...player, clock: clock(), isWatching: true })], [false, false]);
});

test("what finishing does is told by who else is awaited, the time and the operator", () => {
  const waiting = finishWords({ clock: clock({ waiting: [1, 2], deadline: 5 }), universe: universe(), listing: null }, listed, true);
  equal(waiting, "The turn ends when its time is up, also if all are done before.");
  const words = (more, notes = ["running", "all-done"]) => finishWords({ clock: clock(more), universe: universe(), listing: notes && { notes } }, listed);
  equal(words({}), "Nobody else is awaited: the turn ends at once.");
  equal(words({ waiting: [1, 2] }, null), "The turn ends when ben has finished, too.");
  equal(words({ waiting: [1, 2], deadline: 5 }), "The turn ends when ben has finished, too, or when its time is up.");
  equal(words({}, ["running", "manual"]), "The turn ends when the operator of the server says so.");
});

test("a first turn is an early one", () => {
  equal([isEarly(0, 2), isEarly(4, 2), isEarly(5, 2), isEarly(2, 0)], [true, true, false, true]);
});
