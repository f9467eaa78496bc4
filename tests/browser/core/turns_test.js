// The turns of a game, one after the other, against a server of a few lines: each comes once, and only when it is ours.

import { Refusal } from "/core/errors.js";
import { Player } from "/core/player.js";
import { turns } from "/core/turns.js";
import { equal, rejects, settled, test } from "./checks.js";
import { FakeServer, FakeTime } from "./fakes.js";

/** Knows how many listen to it. */
class Counting extends Player {
  listeners = 0;

  addEventListener(...rest) {
    this.listeners += 1;
    super.addEventListener(...rest);
  }

  removeEventListener(...rest) {
    this.listeners -= 1;
    super.removeEventListener(...rest);
  }
}

/** A player in a game, and the turns that came, as the clock and as the copy has them; `inTurn` is done in each. */
async function begun({ inTurn = (player) => player.finishTurn(), before = () => {} } = {}) {
  const server = new FakeServer();
  const time = new FakeTime();
  const player = new Counting({ url: "ws://here/ws", WebSocket: server.WebSocket, time, patience: 1000, pauses: [100], glance: 0 });
  await player.login("ann", "secret", "first");
  const came = [];
  before(server);
  const end = (async () => {
    for await (const { turn } of turns(player)) {
      came.push([turn, player.universe.turn]);
      await inTurn(player);
    }
    return "over";
  })();
  end.catch(() => {});
  await settled();
  return { server, time, player, came, end };
}

/** The root shows another number. */
function show(server, value) {
  server.now += 5;
  server.put(0, { otype: 0, name: "All", contains: [1], parameters: [{ integer: { value } }] });
}

/** A turn begins, and the root shows its number. */
async function next(server, changes = {}) {
  Object.assign(server.clock, changes);
  show(server, server.turn + 1);
  server.beginTurn();
  await settled();
}

test("each turn comes once, with everything up to date, until the game is over", async () => {
  const { server, came, end } = await begun();
  server.push(4); // somebody has finished
  await settled();
  equal(came, [[1, 1]]);
  await next(server);
  await next(server);
  equal(came, [[1, 1], [2, 2], [3, 3]]);
  await next(server, { turnName: "Game over", waiting: [] });
  equal([came.length, await end], [3, "over"]);
});

test("a turn that begins with the number of the one before comes as well", async () => {
  const { server, player, came } = await begun({ inTurn: () => {} }); // as the first one after the game waited for players
  show(server, 7);
  server.push(1);
  equal([player.isUpToDate, came.length], [false, 1]);
  await settled();
  equal([player.isUpToDate, came], [true, [[1, 1], [1, 7]]]);
});

test("a turn that begins while another one is looked at comes when all of it is here", async () => {
  const { server, came } = await begun();
  server.instead.set("getObjectsById", (body) => {
    const before = server.getObjectsById(body);
    show(server, 3);
    server.beginTurn();
    return before;
  });
  await next(server);
  equal(came, [[1, 1], [3, 3]]);
});

test("a turn in which others are awaited does not come until we are", async () => {
  const { server, came } = await begun();
  await next(server, { waiting: [2] });
  equal(came.length, 1);
  server.clock.waiting = [1];
  server.push(4);
  await settled();
  equal(came, [[1, 1], [2, 2]]);
});

test("a turn that is not finished comes again when the connection is back, and not if it is", async () => {
  let isLazy = true;
  const { server, time, came } = await begun({ inTurn: (player) => (isLazy ? null : player.finishTurn()) });
  server.push(4);
  await settled();
  equal(came, [[1, 1]]);
  isLazy = false;
  for (const count of [2, 2]) {
    server.socket.drop();
    await time.pass(100);
    equal(came, Array(count).fill([1, 1]));
  }
});

test("another game in the place of this one begins with its own turns", async () => {
  const { server, time, came } = await begun();
  await next(server);
  Object.assign(server, { created: 2000 });
  server.socket.drop();
  await time.pass(100);
  equal(came, [[1, 1], [2, 2], [2, 2]]);
});

test("a connection that does not come back ends the turns with the reason", async () => {
  const { server, time, end } = await begun();
  server.password = "another";
  server.socket.drop();
  await time.pass(100);
  await rejects(end, Refusal, "password");
});

test("what cannot be brought up to date ends the turns, unless the server is only busy", async () => {
  const { server, came, end } = await begun();
  server.instead.set("getObjectIds", [{ fail: { code: 3, result: "A turn is being computed." } }]);
  await next(server);
  equal(came.length, 1);
  await next(server);
  equal(came, [[1, 1], [3, 3]]);
  server.instead.set("getObjectIds", [{ fail: { code: 5, result: "Not for you." } }]);
  await next(server);
  await rejects(end, Refusal, "Not for you");
});

test("a turn that has begun a moment before comes when everything of it is here", async () => {
  const { came } = await begun({ before: next });
  equal(came, [[2, 2]]);
});

test("a connection that is lost before the first turn is waited for", async () => {
  const { time, came } = await begun({ before: (server) => server.socket.drop() });
  equal(came, []);
  await time.pass(100);
  equal(came, [[1, 1]]);
});

test("a turn that has become ours while the connection was lost comes when everything is up to date", async () => {
  const { server, time, came } = await begun();
  await next(server, { waiting: [2] });
  server.socket.drop();
  server.clock.waiting = [1];
  show(server, 9);
  await time.pass(100);
  equal(came, [[1, 1], [2, 9]]);
});

test("an end that is told alone is the end", async () => {
  const { player, end } = await begun();
  player.over = true;
  player.tell("over", { clock: player.clock });
  equal(await end, "over");
});

test("who leaves in a turn gets no other, and nobody listens any more", async () => {
  const { player, came, end } = await begun({ inTurn: (one) => one.leave() });
  equal([await end, came.length, player.listeners], ["over", 1, 0]);
});
