// Old turns: over one connection that goes from one to the next and hangs up after a rest, bounded in memory, the last one
// wanted wins.

import { ConnectionLost, Refusal } from "/core/errors.js";
import { History, MOST_OBJECTS, MOST_TURNS, PAUSES, REST } from "/core/history.js";
import { Player } from "/core/player.js";
import { equal, holds, rejects, settled, test } from "./checks.js";
import { FakeServer, FakeTime } from "./fakes.js";

/** A player in turn `turn`, and a server that shows old turns: in turn N there are N objects of the number 100 and up. */
async function playing(game = "first", turn = 30) {
  const server = new FakeServer();
  server.turn = turn;
  const { login, getTimeRemaining } = server;
  // Of an old turn the clock tells its number, as the login has named it, or what was asked for since.
  let old = null;
  const show = (number) => {
    server.now += 10;
    for (let id = 100; id < 130; id++) {
      if (id < 100 + number && !server.objects.has(id)) server.put(id, { otype: 2, name: `S${id}`, parent: 1, parameters: [] });
      else if (id >= 100 + number && server.objects.has(id)) server.take(id);
    }
    old = number;
  };
  server.login = (body) => {
    const [, number] = /\/turn\/(\d+)$/.exec(body.username) ?? [];
    if (number) show(Number(number));
    return login(body);
  };
  server.showTurn = (body) => {
    show(body.turn);
    return [{ turnShown: { turn: old, turnName: `Day ${old}` } }];
  };
  server.getTimeRemaining = () => (old === null ? getTimeRemaining() : [{ timeRemaining: { turn: old, turnName: `Day ${old}`, time: 2147483647 } }]);
  const time = new FakeTime();
  const player = new Player({ url: "ws://here/ws", WebSocket: server.WebSocket, time, glance: 0 });
  await player.login("ann", "secret", game);
  return { server, time, player, history: new History(player) };
}

const open = (server) => server.sockets.filter((socket) => !socket.closed).length;
const logins = (server) => server.sockets.flatMap((socket) => socket.sent).filter((frame) => frame.login).map((frame) => frame.login);

test("an old turn is read by a second login, and what does not change is not asked again", async () => {
  const { server, player, history } = await playing();
  const past = await history.open(7);
  equal([past.turn, past.name, past.universe.objects.size, past.universe.me], [7, "Day 7", 12, 1]);
  equal(logins(server).at(-1), { username: "ann@first/turn/7", password: "secret" });
  equal([open(server), player.state, player.turn, server.count("getDesignIds")], [2, "playing", 30, 1]);
  holds(past.universe !== player.universe && past.universe.designs.get(3).name === "Worker", "it has the present's designs");
});

test("the next turn is shown over the same connection, which fetches what differs; those shown before stay as they are", async () => {
  const { server, history } = await playing();
  const first = await history.open(7);
  const fetched = () => server.sockets.flatMap((socket) => socket.sent).flatMap((frame) => frame.getObjectsById?.ids ?? []).length;
  const before = fetched();
  const next = await history.open(9);
  equal([next.turn, next.name, next.universe.objects.size, fetched() - before], [9, "Day 9", 14, 2]);
  const less = await history.open(2);
  equal([less.universe.objects.size, first.universe.objects.size, next.universe.objects.size], [7, 12, 14]);
  holds(less.universe.objects.get(100) === first.universe.objects.get(100), "what is the same is the same object");
  equal([logins(server).length, server.count("showTurn"), server.count("getPlayerIds"), open(server)], [2, 2, 2, 2]);
});

test("a connection of which nothing is wanted hangs up, and the next turn logs in again", async () => {
  const { server, time, history } = await playing();
  await history.open(3);
  await time.pass(REST - 1);
  equal(open(server), 2);
  await history.open(4);
  await time.pass(REST - 1);
  equal(open(server), 2);
  await time.pass(1);
  equal(open(server), 1);
  equal([(await history.open(5)).universe.objects.size, logins(server).length], [10, 3]);
  history.stop();
  equal([open(server), time.pending], [1, 0]);
});

test("a connection that was lost meanwhile is made anew", async () => {
  const { server, history } = await playing();
  await history.open(3);
  server.socket.drop("restart");
  equal([(await history.open(4)).universe.objects.size, logins(server).length, open(server)], [9, 3, 2]);
});

test("of a server that cannot go from turn to turn each is read by a login", async () => {
  const { server, history } = await playing();
  server.showTurn = undefined;
  for (const turn of [3, 4, 5]) equal((await history.open(turn)).universe.objects.size, 5 + turn);
  equal([logins(server).length, server.count("showTurn"), open(server)], [4, 1, 2]);
});

test("a turn that is refused leaves what is shown, and the connection", async () => {
  const { server, history } = await playing();
  await history.open(3);
  server.instead.set("showTurn", [{ fail: { code: 4, result: "There is no turn 8." } }]);
  await rejects(history.open(8), Refusal, "no turn 8");
  equal([(await history.open(4)).universe.objects.size, logins(server).length, open(server)], [9, 2, 2]);
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

test("the last turn that is wanted wins: it is read after the present one, and those between are given up", async () => {
  const { server, history } = await playing();
  await history.open(1);
  const { getObjectIds } = server;
  let goOn;
  server.getObjectIds = () => null;
  const first = history.open(3);
  await settled();
  server.socket.sent.filter((frame) => frame.getObjectIds).slice(-1).forEach((frame) => {
    goOn = () => getObjectIds(frame.getObjectIds).forEach((answer) => server.socket.receive({ sequence: frame.sequence, ...answer }));
  });
  server.getObjectIds = getObjectIds;
  const [second, third] = [history.open(4), history.open(5)];
  await rejects(second, ConnectionLost, "no longer needed");
  equal([open(server), server.count("showTurn")], [2, 1]);
  goOn();
  equal([(await third).turn, (await first).turn, history.kept(3)?.turn, history.kept(4)], [5, 3, 3, null]);
  equal([open(server), server.count("showTurn"), logins(server).length], [2, 2, 2]);
});

test("whoever stops looking back gets no more, and nothing stays open", async () => {
  const { server, time, history } = await playing();
  await history.open(1);
  server.silent.add("getObjectIds");
  const [first, second] = [history.open(3), history.open(4)];
  first.catch(() => {});
  second.catch(() => {});
  await settled();
  history.stop();
  await rejects(first, ConnectionLost);
  await rejects(second, ConnectionLost);
  server.silent.clear();
  equal([open(server), time.pending, history.kept(3)], [1, 0, null]);
  equal([(await history.open(4)).turn, open(server)], [4, 2]);
});

test("a busy server is asked again after a pause, any other refusal is told", async () => {
  const { server, time, history } = await playing();
  server.instead.set("login", [{ fail: { code: 3, result: "Too many look back." } }]);
  const reading = history.open(3);
  await time.pass(PAUSES[0] - 1);
  equal([logins(server).length, open(server)], [2, 1]);
  await time.pass(1);
  equal((await reading).turn, 3);
  server.instead.set("showTurn", [{ fail: { code: 3, result: "Too much of the past." } }]);
  const next = history.open(4);
  await time.pass(PAUSES[0]);
  equal([(await next).turn, server.count("showTurn"), logins(server).length], [4, 2, 3]);
  history.stop();
  server.instead.set("login", [{ fail: { code: 4, result: "There is no turn 8." } }]);
  await rejects(history.open(8), Refusal, "no turn 8");
  equal(open(server), 1);
  server.login = () => [{ fail: { code: 3, result: "Not now." } }];
  const refused = history.open(9);
  refused.catch(() => {});
  await time.pass(10_000);
  await rejects(refused, Refusal, "Not now.");
  equal([open(server), time.pending], [1, 0]);
});

test("the turn that is likely next is read ahead; while another is being read it waits, the likeliest last", async () => {
  const { server, player, history } = await playing();
  history.ahead(5);
  equal([(await history.open(5)).turn, logins(server).length], [5, 2]);
  for (const turn of [-1, 30, 5]) history.ahead(turn);
  const reading = history.open(6);
  for (const turn of [8, 7]) history.ahead(turn);
  equal([(await reading).turn, history.kept(7)], [6, null]);
  const ahead = history.open(7); // it is being read already, and is not asked for again
  equal([(await ahead).turn, history.kept(8), server.count("showTurn"), logins(server).length, open(server)], [7, null, 2, 2, 2]);
  const wanted = [history.open(9), history.open(10)];
  history.ahead(11);
  equal([(await wanted[0]).turn, (await wanted[1]).turn, history.kept(11)], [9, 10, null]); // what is wanted comes first
  player.over = true;
  history.ahead(30);
  equal((await history.open(30)).turn, 30);
});
