// Old turns: each over a connection of its own that is closed, bounded in memory, the last one wanted wins.

import { ConnectionLost, Refusal } from "/core/errors.js";
import { History, MOST_OBJECTS, MOST_TURNS, PAUSES } from "/core/history.js";
import { Player } from "/core/player.js";
import { equal, holds, rejects, settled, test } from "./checks.js";
import { FakeServer, FakeTime } from "./fakes.js";

async function playing(game = "first", turn = 30) {
  const server = new FakeServer();
  server.turn = turn;
  const { login, getTimeRemaining } = server;
  // Of an old turn the clock tells its number, as the login has named it.
  let old = null;
  server.login = (body) => {
    old = /\/turn\/(\d+)$/.exec(body.username)?.[1] ?? null;
    return login(body);
  };
  server.getTimeRemaining = () => (old === null ? getTimeRemaining() : [{ timeRemaining: { turn: Number(old), turnName: `Day ${old}`, time: 2147483647 } }]);
  const time = new FakeTime();
  const player = new Player({ url: "ws://here/ws", WebSocket: server.WebSocket, time, glance: 0 });
  await player.login("ann", "secret", game);
  return { server, time, player, history: new History(player) };
}

const open = (server) => server.sockets.filter((socket) => !socket.closed).length;
const logins = (server) => server.sockets.flatMap((socket) => socket.sent).filter((frame) => frame.login).map((frame) => frame.login);

test("an old turn is read by a second login, which is closed, and what does not change is not asked again", async () => {
  const { server, player, history } = await playing();
  const past = await history.open(7);
  equal([past.turn, past.name, past.universe.objects.size, past.universe.me], [7, "Day 7", 5, 1]);
  equal(logins(server).at(-1), { username: "ann@first/turn/7", password: "secret" });
  equal([open(server), player.state, player.turn, server.count("getDesignIds")], [1, "playing", 30, 1]);
  holds(past.universe !== player.universe && past.universe.designs.get(3).name === "Worker", "it has the present's designs");
});

test("who watches, or named no game, looks at the turns of the same game", async () => {
  for (const game of ["first/watch", ""]) {
    const { server, history } = await playing(game);
    await history.open(0);
    equal(logins(server).at(-1).username, "ann@first/turn/0");
  }
});

test("turns that were shown stay in memory, but only so many, and not the present one", async () => {
  const { server, history, player } = await playing();
  for (let turn = 0; turn <= MOST_TURNS; turn++) await history.open(turn);
  const before = server.sockets.length;
  await history.open(MOST_TURNS);
  equal([server.sockets.length, history.kept(1)?.turn, history.kept(0)], [before, 1, null]);
  await history.open(30);
  equal(history.kept(30), null, "the present turn, whose orders may change");
  player.over = true;
  await history.open(30);
  equal(history.kept(30)?.turn, 30);
  player.tell("over", {});
  equal(history.kept(30), null, "what was seen before the end");
});

test("large turns are kept only as long as their objects fit", async () => {
  const { history } = await playing();
  const large = await history.open(1);
  for (let id = 10; large.universe.objects.size < MOST_OBJECTS; id++) large.universe.objects.set(id, {});
  await history.open(2);
  equal([history.kept(1), history.kept(2)?.turn], [null, 2]);
});

test("the last turn that is wanted wins: the one that is being read is given up", async () => {
  const { server, history } = await playing();
  server.silent.add("getObjectIds");
  const first = history.open(3);
  first.catch(() => {});
  await settled();
  equal(open(server), 2);
  server.silent.clear();
  const second = history.open(4);
  await settled();
  equal(open(server), 1);
  await rejects(first, ConnectionLost);
  equal([(await second).turn, open(server), history.kept(3)], [4, 1, null]);
});

test("a busy server is asked again after a pause, any other refusal is told", async () => {
  const { server, time, history } = await playing();
  server.instead.set("login", [{ fail: { code: 3, result: "Too many look back." } }]);
  const reading = history.open(3);
  await time.pass(PAUSES[0] - 1);
  equal(logins(server).length, 2);
  await time.pass(1);
  equal((await reading).turn, 3);
  server.instead.set("login", [{ fail: { code: 4, result: "There is no turn 8." } }]);
  await rejects(history.open(8), Refusal, "no turn 8");
  equal(open(server), 1);
  for (let tries = 0; tries <= PAUSES.length; tries++) server.login = () => [{ fail: { code: 3, result: "Not now." } }];
  const refused = history.open(9);
  refused.catch(() => {});
  await time.pass(10_000);
  await rejects(refused, Refusal, "Not now.");
});

test("the turn that is likely next is read ahead, unless one is being read that is wanted", async () => {
  const { server, player, history } = await playing();
  history.ahead(5);
  equal([(await history.open(5)).turn, logins(server).length], [5, 2]);
  for (const turn of [-1, 30, 5]) history.ahead(turn);
  const reading = history.open(6);
  history.ahead(7);
  equal([(await reading).turn, logins(server).length, open(server), history.kept(7)], [6, 3, 1, null]);
  player.over = true;
  history.ahead(30);
  equal((await history.open(30)).turn, 30);
});
