// What is legal, against a server of a few lines: whose answers count, and for how long.

import { Legal, MOST_PARTS } from "/core/legal.js";
import { Player } from "/core/player.js";
import { equal, settled, test } from "./checks.js";
import { FakeServer, FakeTime } from "./fakes.js";

/** The fake server answers in parts of one row. */
class LegalServer extends FakeServer {
  rows = [{ id: 4, otype: 20 }, { id: 4, otype: 20, named: 3 }];
  targets = [2, 3];

  getLegalOrders = ({ start = 0 }) => [{ legalOrders: { orders: this.rows.slice(start, start + 1), ...this.next(start, this.rows) } }];
  getLegalValues = ({ parameters = [], start = 0 }) => [{ legalValues: parameters.length
    ? { parameter: 1, values: [{ list: { selection: [{ id: 8, number: 1 }], possibleSelections: [{ id: 8, name: "leaf", maxNumber: 2 }] } }], free: true }
    : { ids: this.targets.slice(start, start + 1), leftOut: 1, ...this.next(start, this.targets) } }];

  next(start, rows) {
    return start + 1 < rows.length ? { following: start + 1 } : {};
  }
}

async function begun(server = new LegalServer()) {
  const player = new Player({ url: "ws://here/ws", WebSocket: server.WebSocket, time: new FakeTime(), patience: 1000, pauses: [100], glance: 0 });
  const legal = new Legal(player);
  await player.login("ann", "secret", "first");
  legal.reset();
  await settled();
  return { server, player, legal };
}

test("all parts of what can be ordered are fetched, and the pieces that can act are told", async () => {
  const { server, legal } = await begun();
  equal(legal.orders, [{ on: 4, kind: 20, named: 0 }, { on: 4, kind: 20, named: 3 }]);
  equal([legal.isKnown, server.count("getLegalOrders"), [...legal.acting]], [true, 2, [4, 3]]);
  equal([legal.of(4).length, legal.naming(3).length, legal.of(3).length], [1, 1, 0]);
});

test("the values of a parameter are asked for once in a position", async () => {
  const { server, player, legal } = await begun();
  const parts = [];
  const found = await legal.values(4, 20, [], { part: ({ values }) => parts.push(values.length) });
  equal([found.parameter, found.values, found.leftOut, found.free, parts], [0, [2, 3], 2, false, [1, 2]]);
  await legal.values(4, 20, []);
  equal(server.count("getLegalValues"), 2);
  const loads = await legal.values(4, 20, [2]);
  equal([loads.parameter, loads.values, loads.free, loads.options[0].name], [1, [new Map([[8, 1]])], true, "leaf"]);
  await player.insertOrder(4, 20, [2, new Map()]);
  await settled();
  const before = server.count("getLegalValues");
  await legal.values(4, 20, []);
  equal(server.count("getLegalValues"), before + 2);
});

test("who joins a question in its middle is told what has come so far, and all that comes", async () => {
  const { server, legal } = await begun();
  const parts = [];
  const join = ({ values }) => parts.push(values.join());
  let isJoined = false;
  const first = legal.values(4, 20, [], { isWanted: () => !isJoined, part: () => {
    if (isJoined) return;
    isJoined = true;
    legal.values(4, 20, [], { part: join });
  } });
  equal([(await first).values, parts, server.count("getLegalValues")], [[2, 3], ["2", "2,3"], 2]);
  await legal.values(4, 20, [], { part: join });
  equal([parts, server.count("getLegalValues")], [["2", "2,3", "2,3"], 2]);
});

test("what can be ordered is asked again after an order, its removal, and at the start of a turn", async () => {
  const { server, player, legal } = await begun();
  let asked = server.count("getLegalOrders");
  const isAskedAgain = () => {
    const now = server.count("getLegalOrders");
    const more = now > asked;
    asked = now;
    return more && legal.isKnown;
  };
  await player.insertOrder(4, 20, [2, new Map()]);
  await settled();
  equal(isAskedAgain(), true);
  await player.removeOrder(4, 0);
  await settled();
  equal(isAskedAgain(), true);
  server.beginTurn();
  await settled();
  await settled();
  equal(isAskedAgain(), true);
});

test("an answer of an older position is thrown away", async () => {
  const { server, legal } = await begun();
  server.instead.set("getLegalOrders", () => null);
  legal.changed();
  await settled();
  equal(legal.isKnown, false);
  const { sequence } = server.socket.sent.at(-1);
  server.rows = [{ id: 4, otype: 20 }];
  legal.changed();
  await settled();
  server.socket.receive({ sequence, legalOrders: { orders: [{ id: 99, otype: 20 }] } });
  await settled();
  equal(legal.orders.map((order) => order.on), [4]);
});

test("values that are on their way when the position changes are not used", async () => {
  const { server, legal } = await begun();
  server.silent.add("getLegalValues");
  const looked = legal.values(4, 20, []);
  await settled();
  const { sequence } = server.socket.sent.at(-1);
  legal.changed();
  server.socket.receive({ sequence, legalValues: { ids: [2] } });
  equal(await looked, null);
});

test("values that are on their way when somebody else has finished are used, though the clock was told before who we are", async () => {
  const server = new LegalServer();
  let tellWho = null;
  server.instead.set("getPlayer", (body, socket) => {
    const { sequence } = socket.sent.find((frame) => frame.getPlayer === body);
    tellWho = () => socket.receive({ sequence, ...server.getPlayer(body)[0] });
    return null;
  });
  const beginning = begun(server);
  for (let turns = 0; turns < 10 && !tellWho; turns++) await settled();
  await settled();
  tellWho();
  const { legal } = await beginning;
  server.silent.add("getLegalValues");
  const looked = legal.values(4, 20, []);
  await settled();
  const { sequence } = server.socket.sent.at(-1);
  server.push(2, { waiting: [1, 2] });
  server.socket.receive({ sequence, legalValues: { ids: [2] } });
  equal([(await looked)?.values, legal.isKnown], [[2], true]);
});

test("nothing is known from the moment at which one is awaited no more", async () => {
  const { server, legal } = await begun();
  server.instead.set("getLegalOrders", () => null);
  server.push(2, { waiting: [2] });
  equal(legal.isKnown, false);
});

test("nobody who has thought better of it asks for more parts", async () => {
  const { server, legal } = await begun();
  let isWanted = true;
  const found = await legal.values(4, 20, [], { isWanted: () => isWanted, part: () => (isWanted = false) });
  equal([found, server.count("getLegalValues")], [null, 1]);
  equal((await legal.values(4, 20, [])).values, [2, 3]);
});

test("a server that never comes to an end is left", async () => {
  const server = new LegalServer();
  server.getLegalValues = () => [{ legalValues: { ids: [2], following: 1 } }];
  const { legal } = await begun(server);
  equal((await legal.values(4, 20, [])).values.length, MOST_PARTS);
});

test("a server without these requests is asked once, and nothing is known", async () => {
  const { server, player, legal } = await begun(new FakeServer());
  equal([legal.isKnown, legal.orders, server.count("getLegalOrders")], [false, [], 1]);
  await player.insertOrder(4, 20, [2, new Map()]);
  server.beginTurn();
  await settled();
  equal([server.count("getLegalOrders"), await legal.values(4, 20, []), server.count("getLegalValues")], [1, null, 0]);
});

test("a refusal of the moment is not taken for a server without these requests", async () => {
  const { server, legal } = await begun();
  server.instead.set("getLegalOrders", [{ fail: { code: 3, result: "The turn is being computed." } }]);
  legal.changed();
  await settled();
  equal(legal.isKnown, false);
  legal.changed();
  await settled();
  equal(legal.isKnown, true);
});

test("a refused value has the server's sentence, whether it is the last parameter or not", async () => {
  const { server, legal } = await begun();
  server.judge = (order) => (order.parameters[0].object.objectId === 3 ? "Too far." : "");
  equal([await legal.why(4, 20, [3]), await legal.why(4, 20, [2])], ["Too far.", ""]);
  server.instead.set("getLegalValues", [{ legalValues: { parameter: 2, refusal: "Not there." } }]);
  equal(await legal.why(4, 20, [3, new Map([[8, 1]])]), "Not there.");
});

test("who asks what can be ordered now waits until that is known, and asks no second time", async () => {
  const { server, player, legal } = await begun();
  const before = server.count("getLegalOrders");
  equal([(await legal.now()).length, server.count("getLegalOrders")], [2, before]);
  await player.insertOrder(4, 20, [2, new Map()]);
  const both = await Promise.all([legal.now(), legal.now()]);
  equal([both.map((orders) => orders.length), server.count("getLegalOrders")], [[2, 2], before + 2]);
});

test("an answer of a position that has passed is not taken for what can be ordered now", async () => {
  const { server, legal } = await begun();
  server.instead.set("getLegalOrders", () => {
    legal.changed();
    return [{ legalOrders: { orders: [{ id: 4, otype: 20, named: 2 }] } }];
  });
  legal.changed();
  equal((await legal.now()).map((order) => order.named), [0, 3]);
});

test("nothing can be ordered where the server does not tell, and it is not asked again", async () => {
  const { server, legal } = await begun(new FakeServer());
  equal([await legal.now(), await legal.now(), server.count("getLegalOrders")], [[], [], 1]);
});

test("nothing can be ordered as long as the server refuses to tell", async () => {
  const { server, legal } = await begun();
  legal.changed();
  server.instead.set("getLegalOrders", [{ fail: { code: 3, result: "A turn is being computed." } }]);
  equal([(await legal.now()).length, (await legal.now()).length], [0, 2]);
});
