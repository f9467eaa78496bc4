// What happened: cards of turns by pages, and what is different between two positions.

import { difference, fightsOf, positionOf } from "/core/changes.js";
import { Player } from "/core/player.js";
import { A_PAGE, Story } from "/core/story.js";
import { readMap } from "/core/views.js";
import { equal, holds, rejects, settled, test } from "./checks.js";
import { FakeServer, FakeTime } from "./fakes.js";
import { Refusal } from "/core/errors.js";

const report = (subject, more = {}) => ({ subject, body: `${subject}.`, ...more });

async function playing(turn, change = () => {}) {
  const server = new FakeServer();
  server.turn = turn;
  for (let one = 1; one <= turn; one++) server.reports.set(one, [report(`began ${one}`)]);
  change(server);
  const player = new Player({ url: "ws://here/ws", WebSocket: server.WebSocket, time: new FakeTime(), glance: 0 });
  const story = new Story(player);
  const told = [];
  story.addEventListener("story", ({ detail }) => told.push(detail.isNew));
  await player.login("ann", "secret", "first");
  await story.reset();
  return { server, player, story, told };
}

const turns = (story) => story.cards.map(({ turn }) => turn);

test("the newest cards come first, and of each what failed", async () => {
  const { story, told } = await playing(3, (server) => server.reports.set(3, [
    report("Moved", { player: 2, references: [{ type: 1, id: 4 }] }), report("Dig", { failed: true }), report("Grew"),
  ]));
  equal([turns(story), told], [[3, 2, 1], [false]]);
  const [{ title, began, reports }] = story.cards;
  equal([title, began, reports.map((one) => one.subject)], ["Day 3", 1003, ["Dig", "Moved", "Grew"]]);
  equal([reports[1].player, reports[1].references, reports[0].failed], [2, [{ type: 1, id: 4 }], true]);
});

test("older cards come by pages, also where an answer holds fewer than were asked for", async () => {
  const { server, story } = await playing(30);
  equal([turns(story).length, turns(story).at(-1), story.hasMore], [A_PAGE, 31 - A_PAGE, true]);
  server.mostSummaries = 5;
  await story.more();
  equal(turns(story), Array.from({ length: 2 * A_PAGE }, (_, at) => 30 - at));
  await story.more();
  equal([turns(story).length, story.hasMore], [30, false]);
  const asked = server.count("getTurnSummaries");
  await story.more();
  equal(server.count("getTurnSummaries"), asked, "questions at the end");
});

test("several closings have a card each, and each is news once", async () => {
  const { server, story, told } = await playing(3);
  for (const turn of [4, 5, 6]) server.reports.set(turn, [report(`began ${turn}`)]);
  server.turn = 5;
  server.beginTurn();
  await settled();
  await story.update();
  equal([turns(story), told], [[6, 5, 4, 3, 2, 1], [false, true]]);
});

test("cards stay when messages are removed; in another game none is left, and nothing is news", async () => {
  const { server, player, story, told } = await playing(2, (one) => one.messages.push({ turn: 2, subject: "began 2", at: 60 }));
  await player.removeMessages([0]);
  equal([player.messages.length, turns(story)], [0, [2, 1]]);
  server.reports = new Map([[1, [report("elsewhere")]]]);
  server.turn = 1;
  await player.login("ann", "secret", "other");
  told.length = 0;
  await Promise.all([story.update(), story.reset()]);
  equal(told, [false]);
  equal(story.cards.map(({ reports }) => reports[0].subject), ["elsewhere"]);
});

test("a server that keeps no summaries is told from the messages that are left, without letters", async () => {
  const { server, story } = await playing(2, (one) => {
    one.getTurnSummaries = undefined;
    one.messages.push({ turn: 1, subject: "Old", at: 60 }, { turn: 2, subject: "Peace?", references: [{ type: 7, id: 2 }] }, { turn: 2, subject: "New" });
  });
  equal(story.cards.map(({ turn, reports }) => [turn, reports.map((one) => one.subject)]), [[2, ["New"]], [1, ["Old"]]]);
  await Promise.all([story.more(), story.update(), story.ask(1)]);
  equal([server.count("getTurnSummaries"), story.hasMore], [1, false]);
});

test("turns that the server has nothing of are told from the messages, and no other is", async () => {
  const { story } = await playing(3, (one) => {
    one.reports.delete(1);
    one.reports.set(2, []);
    for (const turn of [1, 2, 3]) one.messages.push({ turn, subject: `told ${turn}` });
  });
  equal(story.cards.map(({ turn, reports }) => [turn, reports[0].subject]), [[3, "began 3"], [2, "told 2"], [1, "told 1"]]);
});

test("a question that fails is asked again with the next turn", async () => {
  const { server, story } = await playing(2);
  server.reports.set(3, [report("began 3")]);
  server.instead.set("getTurnSummaries", [{ fail: { code: 3, result: "Not now." } }]);
  server.turn = 2;
  server.beginTurn();
  await settled();
  await story.update();
  equal(turns(story), [3, 2, 1]);
});

// --- away

const at = (id) => [{ type: 1, id }];
const missed = ({ first, last, letters, known, failed, fights }) => [first, last, letters, known, [failed, fights].map((found) => found.map((one) => `${one.turn} ${one.report.subject}`))];

test("whoever comes back is told which orders failed and where there were fights, in order of the turns", async () => {
  const { story, told } = await playing(9, (server) => {
    server.reports.set(2, [report("Combat before")]);
    server.reports.set(4, [report("Battle won", { references: at(7) }), report("Battle lost", { references: at(7) }), report("Dig", { failed: true })]);
    server.reports.set(8, [report("Combat", { references: at(7) }), report("No combat", { failed: true, references: at(8) }), report("A fight", { references: at(9) })]);
  });
  equal(story.absence, null);
  await story.cameBack(3, 9, 2);
  equal(missed(story.absence), [3, 9, 2, 3, [["4 Dig", "8 No combat"], ["4 Battle won", "8 Combat", "8 A fight"]]]);
  equal(told, [false, false], "that is no news");
});

test("the cards of a long absence are read up to a bound, and those before stay to be asked for", async () => {
  const { server, story } = await playing(300);
  server.mostSummaries = 20;
  await story.cameBack(1, 300);
  const { first, last, known } = story.absence;
  equal([first, last, known, turns(story).length, story.hasMore], [1, 300, 237, 64, true]);
  await story.more();
  equal([story.absence.known, turns(story).at(-1)], [237 - A_PAGE, 237 - A_PAGE]);
});

test("one turn is no absence; what was not taken notice of goes on when we are away again", async () => {
  const { story } = await playing(6);
  await story.cameBack(6, 6, 3);
  equal(story.absence, null);
  await story.cameBack(4, 5, 1);
  await story.cameBack(6, 6, 1);
  equal(missed(story.absence).slice(0, 3), [4, 6, 2]);
});

test("notice is taken once, and another game begins without an absence", async () => {
  const { story } = await playing(6);
  const noticed = [];
  story.addEventListener("notice", () => noticed.push(story.absence));
  story.takeNotice();
  await story.cameBack(2, 6);
  story.takeNotice();
  story.takeNotice();
  equal([story.absence, noticed], [null, [null]]);
  await story.cameBack(2, 6);
  await story.reset();
  equal([story.absence, noticed.length], [null, 1]);
});

test("an absence is told though its cards cannot be read", async () => {
  const { server, story, told } = await playing(30);
  server.instead.set("getTurnSummaries", [{ fail: { code: 3, result: "Not now." } }]);
  await story.cameBack(5, 30);
  equal([story.absence.first, story.absence.known, told.at(-1)], [5, 31 - A_PAGE, false]);
});

// --- what is different

const positioned = (player) => positionOf(player.universe, readMap(player.universe));

test("a piece that stands elsewhere has moved, and both places look different", async () => {
  const { server, player } = await playing(1);
  const before = positioned(player);
  const [, piece] = server.objects.get(4);
  server.now += 10;
  server.put(4, { ...piece, parent: 3 });
  server.put(2, { ...server.objects.get(2)[1], contains: [] });
  server.put(3, { ...server.objects.get(3)[1], contains: [4] });
  await player.refresh();
  const { moved, gone, born, places } = difference(before, positioned(player));
  equal([moved.map(({ thing, from, to }) => [thing.id, from, to]), gone, born, [...places]], [[[4, 2, 3]], [], [], [2, 3]]);
});

test("pieces come and go, and what was only stored anew is not different", async () => {
  const { server, player } = await playing(1);
  const before = positioned(player);
  const [, piece] = server.objects.get(4);
  server.now += 10;
  server.put(3, server.objects.get(3)[1]);
  server.put(5, { ...piece, id: 5, name: "New", parent: 3 });
  server.take(4);
  await player.refresh();
  const { moved, gone, born, places } = difference(before, positioned(player));
  equal([moved, gone.map(({ thing, at }) => [thing.id, at]), born.map(({ thing, at }) => [thing.id, at])], [[], [[4, 2]], [[5, 3]]]);
  equal([...places].sort(), [2, 3]);
  const after = positioned(player);
  server.now += 10;
  server.put(5, { ...piece, id: 5, name: "New", parent: 3 });
  await player.refresh();
  holds(player.universe.objects.get(5) !== after.objects.get(5), "it was fetched again");
  equal([...difference(after, positioned(player)).places], []);
});

const piece = (id, owner) => ({ id, owner, role: "fleet", name: `Piece ${id}`, ships: new Map([[1, 1]]), resources: new Map(), integers: [] });
const position = (...standing) => ({ objects: new Map(standing.map(([thing]) => [thing.id, thing])), iconOf: new Map(standing.map(([thing, at]) => [thing.id, at])) });

test("a piece that another player's has come in place of, or that changed hands, is taken", () => {
  const replaced = difference(position([piece(7, 1), 2]), position([piece(8, 2), 2]));
  equal([replaced.taken.map(({ was, thing, at }) => [was.id, thing.id, at]), replaced.gone, replaced.born, [...replaced.struck]], [[[7, 8, 2]], [], [], []]);
  const turned = difference(position([piece(7, 1), 2]), position([piece(7, 2), 2]));
  equal(turned.taken.map(({ was, thing, at }) => [was.owner, thing.owner, at]), [[1, 2, 2]]);
  const own = difference(position([piece(7, 1), 2]), position([piece(8, 1), 2]));
  equal([own.taken, own.gone.length, own.born.length], [[], 1, 1]);
});

test("a place is struck where a piece went and another player's moved in", () => {
  const before = position([piece(7, 1), 2], [piece(8, 2), 3]);
  equal([...difference(before, position([piece(8, 2), 2])).struck], [2]);
  equal([...difference(before, position([piece(7, 1), 3])).struck], [3]);
  equal([...difference(position([piece(7, 1), 2], [piece(8, 1), 3]), position([piece(8, 1), 2])).struck], []);
});

test("fights are told by reports of them, with both strengths where they are there", () => {
  const report = (subject, body, ...ids) => ({ failed: false, player: 0, subject, body, references: ids.map((id) => ({ type: 1, id })) });
  equal(fightsOf([
    report("Combat Complete!", "ann has won with a strength of 3 to 2!\nann gets 1 point.", 5, 6),
    report("Combat", "3 ants 4 + 3 = 7 against a spider 2 + 3 = 5: it dies, at 3, 4.", 7),
    report("COMBAT!", "The next turn is a combat turn at 3, 4!", 8),
    report("Combat", "Again: 1 against 9.", 5),
    report("Moved", "From 3 to 4.", 9),
    report("Combat", "Nowhere: 1 to 2."),
    { ...report("Combat", "1 to 2", 10), failed: true },
  ]), [{ id: 5, strengths: "3 : 2" }, { id: 7, strengths: "7 : 5" }, { id: 8, strengths: "" }]);
  equal(fightsOf([report("Fight", `${"= 1 against ".repeat(20000)}`, 3)]), [{ id: 3, strengths: "" }]);
});

// --- finished, and not after all

test("that a turn is finished is taken back, until a server says that it cannot", async () => {
  const { server, player } = await playing(3);
  equal([player.finishedTurn, player.canUnfinish], [-1, true]);
  await player.finishTurn();
  equal([player.finishedTurn, await player.unfinishTurn(), player.finishedTurn], [3, "Go on", -1]);
  await player.finishTurn();
  server.instead.set("unfinishTurn", [{ fail: { code: 5, result: "The turn is being computed." } }]);
  await rejects(player.unfinishTurn(), Refusal, "computed");
  equal([player.finishedTurn, player.canUnfinish], [3, true]);
  server.unfinishTurn = undefined;
  await rejects(player.unfinishTurn(), Refusal, "does not know");
  equal(player.canUnfinish, false);
});
