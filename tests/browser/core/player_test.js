// The player against a server of a few lines: lobby, turns, messages, orders, and coming back.

import { BadArgument, ClientError, ConnectionLost, Refusal, ServerAway } from "/core/errors.js";
import { secondsLeft } from "/core/clock.js";
import { browserName, byUrgency, changedOptions, freeName, invitationIn, invitationLink, readInvitation, readSetup } from "/core/home.js";
import { ACCOUNTS, Player, webSocketUrl } from "/core/player.js";
import { equal, holds, rejects, settled, test } from "./checks.js";
import { FakeServer, FakeTime } from "./fakes.js";

const EVENTS = ["lost", "back", "changed", "messages", "turn", "over", "failed"];
const to = (id, load = {}) => [id, new Map(Object.entries(load).map(([key, number]) => [Number(key), number]))];

function begun(options = {}) {
  const server = new FakeServer();
  const time = new FakeTime();
  const settings = { url: "ws://here/ws", WebSocket: server.WebSocket, time, patience: 1000, pauses: [100, 400], glance: 0 };
  const player = new Player({ ...settings, ...options });
  const told = [];
  for (const name of EVENTS) player.addEventListener(name, (event) => told.push([name, event.detail]));
  return { server, time, player, told, names: () => told.map(([name]) => name) };
}

async function playing(options) {
  const all = begun(options);
  await all.player.login("ann", "secret", "first");
  all.told.length = 0;
  return all;
}

const targets = (player) => player.queued(4).map(({ order, state }) => [order.values[0], state]);

test("the lobby shows games before anybody has logged in", async () => {
  const { player } = begun();
  const [game] = await player.games();
  equal([game.name, game.title, game.ruleset, game.turn, game.players], ["first", "first", "toy", 1, null]);
  equal([game.deadline, game.notes, game.created], [5_000_000, ["running", "all-done"], 1000]);
  equal([game.isOver, game.isClosed], [false, false]);
  equal([await player.features(), player.state], [[5, ACCOUNTS], "lobby"]);
});

test("the rules of a ruleset are asked for once a version, and again after a refusal", async () => {
  const { player, server } = begun();
  server.instead.set("getRules", [{ fail: { code: 4, result: "There is no ruleset toy." } }]);
  await rejects(player.rules("toy", "1"), Refusal, "no ruleset");
  server.getRules = ({ ruleset }) => [{ rules: { ruleset: ruleset || "toy", title: "Toy", version: "1", goal: "Win.", text: "# Toy\n\nWin." } }];
  const [first, second] = await Promise.all([player.rules("toy", "1"), player.rules("toy", "1")]);
  equal([first.title, first.goal, first === second, first === (await player.rules("toy", "1"))], ["Toy", "Win.", true, true]);
  await player.rules("toy", "2");
  await player.login("ann", "secret");
  equal([player.listing.name, (await player.ownRules()).title], ["first", "Toy"]);
  const asked = server.sockets.flatMap((socket) => socket.sent).filter((frame) => frame.getRules).map((frame) => frame.getRules.ruleset);
  equal(asked, ["toy", "toy", "toy", "toy"]);
});

test("a login downloads everything", async () => {
  const { player, server, names } = begun();
  server.messages.push({ turn: 1, subject: "Hello", body: "there", at: 60 });
  const progress = [];
  equal(await player.login("ann", "secret", "first", (done, total) => progress.push([done, total])), "Hello");
  equal([player.state, player.turn, player.universe.me, player.universe.objects.size], ["playing", 1, 1, 5]);
  equal([player.messages.map((one) => one.subject), names()], [["Hello"], ["changed", "messages"]]);
  equal(progress.at(-1)[0], progress.at(-1)[1]);
  equal(server.socket.sent.find((frame) => frame.login).login, { username: "ann@first", password: "secret" });
});

test("one connection is made, however many things are asked at once", async () => {
  const { player, server } = begun();
  await Promise.all([player.games(), player.features(), player.login("ann", "secret"), player.games()]);
  equal([server.sockets.length, player.state], [1, "playing"]);
});

test("a wrong password is told in the server's words, and another try works", async () => {
  const { player, server } = begun();
  const refusal = await rejects(player.login("ann", "wrong", "first"), Refusal, "The password is wrong.");
  equal([refusal.code, player.state, server.sockets.length], [5, "lobby", 1]);
  await player.login("ann", "secret");
  equal(player.state, "playing");
});

test("a server that is away is told, and another try works", async () => {
  const { player, server } = begun();
  server.away = true;
  await rejects(player.login("ann", "secret"), ServerAway, "away");
  equal(player.state, "away");
  server.away = false;
  await player.login("ann", "secret");
});

test("a login without a game leaves nothing half done", async () => {
  const { player, server } = begun();
  server.instead.set("getTimeRemaining", [{ fail: { code: 3, result: "Log in as name@game." } }]);
  await rejects(player.login("ann", "secret"), Refusal, "name@game");
  equal(player.state, "away");
  await player.login("ann", "secret", "first");
  equal([player.state, server.sockets.length], ["playing", 2]);
});

test("from the account a game is entered on the same connection, and come back to in the same way", async () => {
  const { player, server, time } = begun();
  equal(await player.loginAccount("ann", "secret"), "ann");
  equal([player.isAtHome, player.state], [true, "lobby"]);
  await player.moveTo("first");
  equal([player.isAtHome, player.state, player.game, server.sockets.length], [false, "playing", "first", 1]);
  server.socket.drop();
  await time.pass(500);
  await settled();
  equal([player.state, server.socket.sent.find((frame) => frame.login).login.username], ["playing", "ann@first"]);
});

test("a browser that has stayed logged in comes back without a password, to the list and to its game", async () => {
  const { player, server, time } = begun();
  await player.loginAccount();
  await player.moveTo("first");
  server.socket.drop();
  await time.pass(500);
  await settled();
  equal(player.state, "playing");
  const asked = server.socket.sent.flatMap((frame) => Object.keys(frame)).filter((kind) => ["login", "loginAccount", "enterGame"].includes(kind));
  equal(asked, ["loginAccount", "enterGame"]);
  equal(server.socket.sent.find((frame) => frame.loginAccount).loginAccount, { username: "", password: "" });
});

test("a browser that was logged out while it played is told so and tries no more", async () => {
  const { player, server, time } = begun();
  const lost = [];
  player.addEventListener("lost", ({ detail }) => lost.push(detail.seconds));
  await player.loginAccount();
  await player.moveTo("first");
  server.instead.set("loginAccount", [{ fail: { code: 5, result: "This browser is no longer logged in." } }]);
  server.socket.drop();
  await time.pass(500);
  await settled();
  equal([player.state, lost.at(-1)], ["away", null]);
});

test("the own games come in parts, those that wait for us first", async () => {
  const { player, server } = begun();
  const game = (name, state, awaited, time) => ({
    name, state, time, player: 1, ruleset: "toy", seats: [{ name: "ann", awaited }, { name: "ben", bot: true }],
  });
  const parts = { 0: [{ ...game("over", "over", false, 0), newTurns: 7, newLetters: 2 }, game("late", "running", true, 900)], 7: [game("soon", "running", true, 60), game("slow", "running", false, 5)] };
  server.getMyGames = ({ start }) => [{ myGames: { games: parts[start], following: start ? 0 : 7 } }];
  await player.loginAccount("ann", "secret");
  const games = await player.ownGames();
  equal(byUrgency(games).map((one) => one.name), ["soon", "late", "slow", "over"]);
  equal(games[2].seats, [{ name: "ann", isBot: false, isAwaited: true, isMine: true }, { name: "ben", isBot: true, isAwaited: false, isMine: false }]);
  equal(games[2].deadline - player.time.now(), 60_000);
  equal(games.slice(0, 2).map(({ newTurns, newLetters }) => [newTurns, newLetters]), [[7, 2], [0, 0]]);
});

test("the list logs in again when the connection was lost, once for all who ask", async () => {
  const { player, server } = begun();
  await player.loginAccount("ann", "secret");
  server.socket.drop();
  await settled();
  await Promise.all([player.ownGames(), player.ownGames()]);
  equal(server.socket.sent.filter((frame) => frame.loginAccount).length, 1);
});

test("a game is made and entered, and others come by a word, which is asked for on the same connection", async () => {
  const { player, server } = begun();
  server.createGame = () => [{ okay: { result: "Made" } }];
  server.getInvitation = ({ game }) => [{ invitation: { game, word: "abc" } }];
  await player.loginAccount("ann", "secret");
  equal(await player.createGame({ name: "first", ruleset: "toy", seats: 2 }), "Made");
  equal(await player.invitation("first"), "abc");
  const guest = begun();
  await guest.player.login("ann", "secret", "first", undefined, "abc");
  equal(guest.server.socket.sent.find((frame) => frame.enterGame).enterGame, { game: "first", invitation: "abc" });
});

test("an invitation is read from the address that it was written into, and from no other", () => {
  const link = invitationLink("http://here:80/#old", "my game/2?", "a-b_9");
  equal(link, "http://here:80/#invite=my%20game%2F2%3F/a-b_9");
  equal(readInvitation(new URL(link).hash), { game: "my game/2?", word: "a-b_9" });
  equal(readInvitation("#invite=friday/a%E2%80%93%C2%ADb%E2%80%8B_9)."), { game: "friday", word: "a-b_9" });
  for (const hash of ["", "#link=abc", "#invite=game", "#invite=game/a/b", "#invite=%E0%A4/word", "#invite=/word"]) equal(readInvitation(hash), null);
});

test("only options that differ from their defaults are sent", () => {
  const options = [{ name: "size", value: "6" }, { name: "fast", value: "on" }, { name: "map", value: "" }];
  equal(changedOptions(options, new Map([["size", "7"], ["fast", "on"], ["map", ""]])), [{ name: "size", value: "7" }]);
});

test("a name is proposed that no game has", () => {
  equal(freeName("colony_battle", [{ name: "Colony-Battle" }, { name: "colony-battle-2" }]), "colony-battle-3");
  equal(freeName("…", []), "game");
});

test("what a game was made with is read with what is absent", () => {
  equal(readSetup({ game: "one", ruleset: "swarm", seats: 2, options: [{ name: "size", value: "7", changed: true }, { name: "map" }] }), {
    game: "one", ruleset: "swarm", title: "swarm", seats: 2, bots: 0, clock: "", isInvited: false, press: "private", guests: "no", watch: "0", isAnonymous: false,
    options: [{ name: "size", help: "", value: "7", isChanged: true }, { name: "map", help: "", value: "", isChanged: false }],
  });
  equal(readSetup({ title: "Swarm", invited: true }).title, "Swarm");
});

test("an invitation in a letter counts for this page only", () => {
  const page = "https://example.org/play#somewhere";
  const link = invitationLink(page, "my game", "a-b_c");
  equal(invitationIn(`Come here: ${link}`, page), { game: "my game", word: "a-b_c" });
  equal(invitationIn(`${link} is it`, page), { game: "my game", word: "a-b_c" });
  equal(invitationIn(`Come\u00a0(\u200b${link}).`, page), { game: "my game", word: "a-b_c" });
  equal(invitationIn(`https://evil.example/${link}`, page), null);
  equal(invitationIn(link.replace("example", "exomple"), page), null);
  equal(invitationIn("Come here.", page), null);
});

test("a browser is called what people call it", () => {
  equal(browserName("Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0"), "Firefox on Linux");
  equal(browserName("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605 Version/17.0 Mobile Safari/604"), "Safari on iPhone");
  equal(browserName("unheard of"), "A browser");
});

test("to log in again takes a new connection", async () => {
  const { player, server, told } = await playing();
  await player.login("ben", "secret", "first");
  equal([server.sockets.length, server.sockets[0].closed, player.user], [2, true, "ben"]);
  equal(told.filter(([name]) => name === "lost"), []);
});

test("a login right after leaving shares the connection that the lobby makes", async () => {
  const { player, server } = await playing();
  for (let steps = 0; steps < 8; steps += 1) {
    player.leave();
    const look = player.games();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    const before = server.sockets.length;
    await player.login("ben", "secret", "first");
    await look;
    holds(server.sockets.length <= before + 1, "one connection");
    equal(player.state, "playing");
  }
});

test("what was being connected when we left is closed, and the next has a connection of its own", async () => {
  const { player, server } = begun();
  const look = player.games();
  player.leave();
  const again = player.games();
  await rejects(look, ConnectionLost, "closed here");
  equal((await again).length, 1);
  equal(server.sockets.map((socket) => socket.closed === true), [true, false]);
});

test("a turn that begins is told when everything is up to date", async () => {
  const { player, server, names, told } = await playing();
  server.messages.push({ turn: 2, subject: "Report", body: "", at: 105 });
  server.put(2, { otype: 2, name: "new", parent: 1 });
  server.objects.get(2)[0] = 105;
  server.beginTurn();
  await settled();
  equal(names(), ["changed", "messages", "turn"]);
  const { clock, changes, news } = told[2][1];
  equal([clock.turn, changes.fetched.objects, news.map((one) => one.subject)], [2, [2], ["Report"]]);
  equal(player.universe.objects.get(2).name, "new");
});

test("many turns at once are looked at in one go", async () => {
  const { server, names } = await playing();
  for (let turn = 0; turn < 5; turn += 1) server.beginTurn();
  await settled();
  holds(names().filter((name) => name === "turn").length <= 2, "no queue of refreshes");
});

test("the clock is told, with and without a deadline", async () => {
  const { player, server } = await playing();
  const told = [];
  player.addEventListener("time", (event) => told.push(event.detail.clock));
  server.push(2, { time: 30, waiting: [2] });
  server.push(3, { time: 0 });
  equal(told.map((clock) => [clock.time, clock.waiting, clock.computing]), [[30, [2], false], [0, [1], true]]);
  equal([secondsLeft(told[0], told[0].at + 10_500), secondsLeft(told[0], told[0].at + 60_000)], [20, 0]);
  await player.timeRemaining();
  equal([player.clock.deadline, secondsLeft(player.clock, 0)], [null, null]);
});

test("a game that ends is told once, and letters do not end it", async () => {
  const { server, player, names } = await playing();
  server.clock.waiting = [];
  server.messages.push({ subject: "Game over", body: "", at: 101, references: [{ type: 7, id: 2 }] });
  server.beginTurn();
  await settled();
  equal([player.over, names().includes("over")], [false, false], "a letter");
  server.messages.push({ subject: "Game over: you win", body: "", at: 111 });
  server.beginTurn();
  await settled();
  server.clock.turnName = "Game over";
  server.beginTurn();
  await settled();
  equal([player.over, names().filter((name) => name === "over").length], [true, 1]);
});

test("a game that is over at login is told", async () => {
  const { server, player, names } = begun();
  Object.assign(server.clock, { waiting: [], turnName: "Game over; ann wins" });
  await player.login("ann", "secret");
  equal([player.over, names().includes("over")], [true, true]);
});

test("letters are found by a glance", async () => {
  const { server, time, names } = await playing({ glance: 1000 });
  server.messages.push({ subject: "Peace?", body: "", at: 104, references: [{ type: 7, id: 2 }] });
  server.now += 5;
  await time.pass(1000);
  equal(names(), ["changed", "messages"]);
  const before = server.count("getBoardIds");
  await time.pass(3000);
  equal(server.count("getBoardIds"), before + 3);
});

test("messages that were removed elsewhere are gone here, too", async () => {
  const { server, player } = await playing();
  const write = (...subjects) => {
    server.messages = subjects.map((subject) => ({ subject, body: "", at: (server.now += 1) }));
  };
  write("a", "b", "c");
  await player.refresh();
  write("a", "c", "d");
  await player.refresh();
  equal(player.messages.map((one) => one.subject), ["a", "c", "d"]);
  write("d");
  await player.refresh();
  equal(player.messages.map((one) => one.subject), ["d"]);
});

test("messages are posted and removed", async () => {
  const { server, player, names } = await playing();
  server.messages.push(...["a", "b", "c"].map((subject) => ({ subject, body: "", at: 103 })));
  server.now += 5;
  await player.refresh();
  equal(await player.post(2, "Peace", "please"), "Posted");
  equal(server.socket.sent.findLast((frame) => frame.postMessage).postMessage, { id: 2, slot: "-1", subject: "Peace", body: "please" });
  await player.removeMessages([0, 2]);
  equal([player.messages.map((one) => [one.slot, one.subject]), names().at(-1)], [[[0, "b"]], "messages"]);
});

test("an order is pending until it is confirmed", async () => {
  const { player } = await playing();
  const seen = [];
  player.addEventListener("queue", ({ detail }) => seen.push([detail.queue, targets(player)]));
  const order = await player.insertOrder(4, 20, to(2));
  equal([order.slot, order.turns], [0, 1]);
  equal([seen[0], targets(player)], [[4, [[2, "sending"]]], [[2, "confirmed"]]]);
});

test("a refused order says which parameter is at fault and changes nothing", async () => {
  const { player, server } = await playing();
  server.judge = () => "To: that is too far.";
  for (const giving of [player.insertOrder(4, 20, to(2)), player.probe(4, 20, to(2))]) {
    const refusal = await rejects(giving, Refusal, "too far");
    equal([refusal.parameter, targets(player)], [0, []]);
  }
  const bad = await rejects(player.insertOrder(4, 20, [undefined]), BadArgument, "To is missing");
  equal(bad.parameter, 0);
  await rejects(player.insertOrder(4, 99, []), BadArgument, "order kind 99");
});

test("fields tell what can be chosen, whatever was chosen before", async () => {
  const { player, server } = await playing();
  server.judge = ({ parameters }) => (parameters[0].object.objectId === 3 || parameters[0].object.objectId === 2 ? "" : "no");
  const [where, load] = await player.fields(4, 20, []);
  equal([where.kinds, where.value, where.known], [[2], undefined, true]);
  equal([load.options, [...load.value]], [[{ id: 8, name: "leaf", most: 2 }], []]);
  const again = await player.fields(4, 20, to(3, { 8: 1 }));
  equal([again[0].value, [...again[1].value]], [3, [[8, 1]]]);
  server.judge = () => "no";
  const guess = await player.fields(4, 20, to(4));
  equal([guess[0].kinds, guess[1].options, guess[1].known], [[2], [], false]);
});

test("an order is moved, replaced and removed", async () => {
  const { player } = await playing();
  for (const id of [1, 2, 3]) await player.insertOrder(4, 20, to(id));
  await player.moveOrder(4, 0, 2);
  equal(targets(player).map(([id]) => id), [2, 3, 1]);
  await player.moveOrder(4, 2, 0);
  equal(targets(player).map(([id]) => id), [1, 2, 3]);
  await player.moveOrder(4, 1, 0);
  equal(targets(player).map(([id]) => id), [2, 1, 3]);
  await player.replaceOrder(4, 1, 20, to(9));
  equal(targets(player).map(([id]) => id), [2, 9, 3]);
  await player.removeOrder(4, 0);
  equal(targets(player).map(([id]) => id), [9, 3]);
  await player.insertOrder(4, 20, to(5), 1);
  equal(targets(player).map(([id]) => id), [9, 5, 3]);
});

test("an order that is removed twice at once takes no other with it", async () => {
  const { player, server } = await playing();
  for (const id of [1, 2]) await player.insertOrder(4, 20, to(id));
  await Promise.all([player.removeOrder(4, 0), player.removeOrder(4, 0)]);
  equal([targets(player), server.count("removeOrder")], [[[2, "confirmed"]], 1]);
  await player.removeOrder(4, 0);
  equal([targets(player), player.isSending], [[], false]);
});

test("another invitation is a change, as it ends the one before", async () => {
  const { player, server } = begun();
  const kinds = [];
  player.addEventListener("asked", ({ detail }) => kinds.push(detail.kind));
  server.getInvitation = ({ game }) => [{ invitation: { game, word: "abc" } }];
  await player.loginAccount("ann", "secret");
  await player.games();
  await player.invitation("first");
  equal(kinds, ["getInvitation"]);
});

test("an order is replaced where rules allow only one", async () => {
  const { player, server } = await playing();
  await player.insertOrder(4, 20, to(2));
  server.judge = (order, queue) => (queue.length >= 1 ? "only one" : "");
  await player.replaceOrder(4, 0, 20, to(3));
  equal(targets(player), [[3, "confirmed"]]);
});

test("what a refused replacement would have replaced stays", async () => {
  const { player, server } = await playing();
  await player.insertOrder(4, 20, to(2));
  server.judge = ({ parameters }) => (parameters[0].object.objectId === 3 ? "To: not there" : "");
  const refusal = await rejects(player.replaceOrder(4, 0, 20, to(3)), Refusal, "not there");
  equal([refusal.parameter, targets(player)], [0, [[2, "confirmed"]]]);
  equal([server.count("removeOrder"), server.count("orderReplace")], [0, 1]);
});

test("after a lost connection it is looked up whether an order was replaced", async () => {
  const { player, server, time } = await playing();
  await player.insertOrder(4, 20, to(2));
  server.instead.set("orderReplace", (order, socket) => {
    server.queue[0] = order;
    socket.drop();
    return [];
  });
  const replaced = player.replaceOrder(4, 0, 20, to(3));
  await time.pass(1000);
  equal([(await replaced).values[0], targets(player)], [3, [[3, "confirmed"]]]);
  server.instead.set("orderReplace", (order, socket) => {
    socket.drop();
    return [];
  });
  const lost = rejects(player.replaceOrder(4, 0, 20, to(1)), ConnectionLost, "The connection was lost; the order was not changed.");
  await time.pass(1000);
  await lost;
  equal(targets(player), [[3, "confirmed"]]);
});

test("an order that is moved goes back where it was if it is refused", async () => {
  const { player, server } = await playing();
  for (const id of [1, 2]) await player.insertOrder(4, 20, to(id));
  const isFirst = ({ parameters }) => parameters[0].object.objectId === 1;
  server.judge = (order, queue) => (isFirst(order) && queue.some(isFirst) ? "only one" : "");
  await player.moveOrder(4, 0, 1);
  equal(targets(player).map(([id]) => id), [2, 1]);
  server.judge = (order) => (isFirst(order) && order.slot === "0" ? "not there" : "");
  await rejects(player.moveOrder(4, 1, 0), Refusal, "not there");
  equal(targets(player).map(([id]) => id), [2, 1]);
  server.judge = () => "nothing more";
  await rejects(player.moveOrder(4, 1, 0), Refusal, "What was there before is refused now, too: nothing more");
  equal([targets(player).length, server.queue.length], [1, 1]);
});

test("a queue that changed meanwhile is not touched", async () => {
  const { player, server } = await playing();
  await player.insertOrder(4, 20, to(2));
  server.queue[0] = { ...server.queue[0], parameters: [{ object: { objectId: 1 } }, { list: {} }] };
  await rejects(player.removeOrder(4, 0), ClientError, "changed meanwhile");
  equal([server.queue.length, targets(player)], [1, [[1, "confirmed"]]]);
});

test("a lost connection comes back by itself, and only what changed is asked for", async () => {
  const { player, server, time, told, names } = await playing();
  const fetched = server.count("getObjectsById");
  server.away = true;
  server.socket.drop();
  equal([player.state, told[0][1].seconds], ["returning", 0.1]);
  await time.pass(100);
  await time.pass(400);
  equal([names(), told.map(([, detail]) => detail.seconds)], [["lost", "lost", "lost"], [0.1, 0.4, 0.4]]);
  server.away = false;
  await time.pass(400);
  equal([player.state, names().slice(3), told[3][1].rebuilt], ["playing", ["back"], false]);
  equal(server.count("getObjectsById"), fetched);
  equal([player.turn, time.pending], [1, 0]);
});

test("a turn that was missed is told after coming back", async () => {
  const { server, time, names } = await playing();
  server.turn = 5;
  server.socket.drop();
  await time.pass(100);
  equal(names(), ["lost", "back", "turn"]);
});

test("a server that was replaced is looked at anew", async () => {
  const { player, server, time, told } = await playing();
  const before = player.universe;
  server.created += 1;
  server.objects.delete(3);
  server.socket.drop();
  await time.pass(100);
  equal([told.find(([name]) => name === "back")[1].rebuilt, player.universe === before], [true, false]);
  equal([player.universe.objects.has(3), player.universe.me], [false, 1]);
});

test("a server where we are another player, or that was set back in time, is looked at anew", async () => {
  const { player, server, time, told } = await playing();
  const me = server.getPlayer;
  server.getPlayer = ({ ids }) => (ids[0] ? me({ ids }) : [{ player: { id: 2, name: "ann" } }]);
  server.socket.drop();
  await time.pass(100);
  equal([told.at(-1), player.universe.me], [["back", { rebuilt: true }], 2]);
  server.turn = 0;
  server.socket.drop();
  await time.pass(100);
  equal(told.filter(([name]) => name === "back").at(-1)[1].rebuilt, true);
});

test("a server that knows us no more is told, once and for all", async () => {
  const { player, server, time, told } = await playing();
  server.password = "another";
  server.socket.drop();
  await time.pass(100);
  const [, last] = told.at(-1);
  equal([last.error.message, last.seconds, player.state], ["The password is wrong.", null, "away"]);
  await time.pass(100_000);
  equal(server.sockets.length, 2);
});

test("to come back can be tried at once, and given up", async () => {
  const { player, server, time } = await playing({ pauses: [60_000] });
  server.socket.drop();
  player.retry();
  await settled();
  equal([player.state, time.pending], ["playing", 0]);
  server.socket.drop();
  player.leave();
  await time.pass(100_000);
  equal([player.state, server.sockets.length, time.pending], ["left", 2, 0]);
});

test("an order that was on its way is found after coming back", async () => {
  const { player, server, time } = await playing();
  server.silent.add("orderInsert");
  const giving = player.insertOrder(4, 20, to(2));
  await settled();
  const [{ orderInsert }] = server.socket.sent.slice(-1);
  server.queue.push(orderInsert); // it arrived; the answer did not
  server.objects.get(4)[0] = server.now += 1;
  server.socket.drop();
  await settled();
  equal(targets(player), [[2, "unknown"]]);
  await time.pass(100);
  const order = await giving;
  equal([order.slot, targets(player)], [0, [[2, "confirmed"]]]);
});

test("an order that was lost on its way is told", async () => {
  const { player, server, time } = await playing();
  await player.insertOrder(4, 20, to(2));
  server.silent.add("orderInsert");
  const giving = rejects(player.insertOrder(4, 20, to(2)), ConnectionLost, "before Walk arrived");
  await settled();
  server.socket.drop();
  await time.pass(100);
  await giving;
  equal(targets(player), [[2, "confirmed"]]);
});

test("an order on its way when the turn ended is not guessed at", async () => {
  const { player, server, time } = await playing();
  server.silent.add("orderInsert");
  const giving = rejects(player.insertOrder(4, 20, to(2)), ConnectionLost, "The turn ended");
  await settled();
  server.turn += 1;
  server.socket.drop();
  await time.pass(100);
  await giving;
});

test("an order on its way when we leave is told", async () => {
  const { player, server } = await playing();
  server.silent.add("orderInsert");
  const giving = rejects(player.insertOrder(4, 20, to(2)), ConnectionLost);
  await settled();
  player.leave();
  await giving;
  equal(targets(player), []);
});

test("whatever is asked while the connection is lost is told at once", async () => {
  const { player, server } = await playing();
  server.socket.drop();
  await rejects(player.finishTurn(), ConnectionLost, "no connection");
  await rejects(player.refresh(), ConnectionLost, "no connection");
});

test("a connection lost in the lobby is told, and nothing is tried", async () => {
  const { player, server, time, told } = begun();
  await player.connect();
  server.socket.drop();
  await time.pass(100_000);
  equal([player.state, told.length, told[0][1].seconds, server.sockets.length], ["away", 1, null, 1]);
  await player.games();
  equal(player.state, "lobby");
});

test("a connection lost during the download is told to whoever logs in", async () => {
  const { player, server } = begun();
  server.instead.set("getObjectIds", (_, socket) => {
    queueMicrotask(() => socket.drop());
    return [];
  });
  await rejects(player.login("ann", "secret"), ConnectionLost);
  equal(player.state, "away");
  await player.login("ann", "secret");
  equal(player.state, "playing");
});

test("a refresh that the server refuses is told and tried again with the next turn", async () => {
  const { server, names, told } = await playing();
  server.instead.set("getObjectIds", [{ fail: { code: 3, result: "Not now." } }]);
  server.beginTurn();
  await settled();
  equal([names(), told[0][1].error.message], [["failed"], "Not now."]);
  server.beginTurn();
  await settled();
  equal(names().slice(1), ["turn"]);
});

test("the address is that of the page", async () => {
  equal(webSocketUrl({ protocol: "http:", host: "here:8080" }), "ws://here:8080/ws");
  equal(webSocketUrl({ protocol: "https:", host: "here" }), "wss://here/ws");
});

test("a turn that begins while everything is downloaded is looked at afterwards", async () => {
  const { server, time, player, names } = begun();
  server.instead.set("getObjectsById", (body) => {
    const before = server.getObjectsById(body);
    server.now += 5;
    server.put(9, { otype: 2, name: "C1", parent: 1 });
    server.push(1);
    return before;
  });
  await player.login("ann", "secret", "first");
  equal([player.isUpToDate, player.universe.objects.has(9)], [false, false]);
  await settled();
  equal([player.isUpToDate, player.universe.objects.has(9)], [true, true]);
  server.socket.drop();
  await time.pass(100);
  equal(names().filter((name) => ["turn", "lost", "back"].includes(name)), ["turn", "lost", "back"]);
});
