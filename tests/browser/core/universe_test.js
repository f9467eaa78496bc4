// The copy of the universe: what is asked for, read and dropped.

import { Conversation } from "/core/conversation.js";
import { Refusal, UnexpectedAnswer } from "/core/errors.js";
import { EVERYTHING, PASSING, Universe } from "/core/universe.js";
import { equal, holds, rejects, test } from "./checks.js";
import { FakeServer, FakeTime } from "./fakes.js";

async function begun(change = () => {}) {
  const server = new FakeServer();
  change(server);
  const conversation = await Conversation.open("ws://here/ws", { WebSocket: server.WebSocket, time: new FakeTime() });
  return { server, conversation, universe: new Universe() };
}

test("everything is downloaded and read by its description", async () => {
  const { conversation, universe } = await begun();
  const seen = [];
  const changes = await universe.refresh(conversation, { onProgress: (done, total) => seen.push([done, total]) });
  equal(changes.fetched.objects, [0, 1, 2, 3, 4]);
  equal([seen[0][0], seen.at(-1)], [0, [seen[0][1], seen[0][1]]]);
  equal(universe.me, 1);
  const [fleet] = universe.own();
  equal([fleet.id, fleet.kind, fleet.owner, fleet.queue, [...fleet.ships]], [4, "Fleet", 1, 4, [[3, 2]]]);
  equal(fleet.name, "<img src=x onerror=alert(1)>");
  equal(universe.queueOf(fleet).kinds, [20]);
  equal(universe.offers(fleet).map((kind) => kind.name), ["Walk"]);
  equal([universe.turn, universe.playerName(2), universe.playerName(9), universe.playerName(0)], [1, "ben", "player 9", "nobody"]);
  equal([universe.resourceName(6), universe.resourceName(6, 2), universe.resourceName(7)], ["Seed", "Seeds", "resource 7"]);
  equal(universe.designs.get(3).name, "Worker");
  equal(universe.designs.get(3).owner, 0);
});

test("positions are numbers, and BigInt only beyond 2^53", async () => {
  const { conversation, universe } = await begun();
  await universe.refresh(conversation);
  equal(universe.objects.get(2).position, [5, 0, 0]);
  holds(universe.objects.get(3).position[0] === -9007199254740993n, "not rounded");
});

test("groups have names and values for people", async () => {
  const { conversation, universe } = await begun();
  await universe.refresh(conversation);
  const fleet = universe.objects.get(4);
  equal(
    fleet.groups.map((group) => [group.name, group.values.map((one) => [one.name, one.form, one.value])]),
    [
      ["Owner", [["Owner", "reference", { type: 7, id: 1 }]]],
      ["Rest", [["Queue", "orderQueue", 4], ["Ships", "referenceQuantityList", [{ type: 9, id: 3, number: 2 }]], ["Damage", "", null]]],
    ],
  );
  equal([universe.objects.get(0).number("Year"), universe.objects.get(0).number("Year", "Rest")], [1, undefined]);
});

test("an object of a kind that was never described has its name all the same", async () => {
  const { conversation, universe } = await begun((server) => server.put(9, { otype: 77, name: "odd", parameters: [{ integer: {} }] }));
  await universe.refresh(conversation);
  const odd = universe.objects.get(9);
  equal([odd.name, odd.kind, odd.groups, odd.owner], ["odd", "", [], 0]);
});

test("a second refresh asks only for what has changed", async () => {
  const { server, conversation, universe } = await begun();
  await universe.refresh(conversation);
  const before = server.count("getObjectsById");
  const nothing = await universe.refresh(conversation, { tables: PASSING });
  equal([nothing.any, server.count("getObjectsById")], [false, before]);
  server.now += 5;
  server.put(2, { otype: 2, name: "A2", parent: 1 });
  server.take(4);
  server.put(5, { otype: 2, name: "C1", parent: 1 });
  const changes = await universe.refresh(conversation);
  equal([changes.fetched.objects, changes.gone], [[2, 5], { objects: [4], queues: [4] }]);
  equal([universe.objects.get(2).name, universe.objects.has(4), universe.queues.size, universe.orders.size], ["A2", false, 0, 0]);
});

test("a server that lists everything each time is asked only for what is new, and what is not listed has gone", async () => {
  const { server, conversation, universe } = await begun((made) => {
    const { ids } = made;
    made.ids = (kind, body, things) => {
      const [frame] = ids.call(made, kind, body, things);
      return [{ [kind]: { ...frame[kind], fromtime: "-1" } }];
    };
  });
  await universe.refresh(conversation);
  server.put(6, { otype: 2, name: "new", parent: 1 });
  server.take(3);
  const changes = await universe.refresh(conversation);
  equal([changes.fetched, changes.gone], [{ objects: [6] }, { objects: [3] }]);
});

test("a queue that is ours no more is dropped", async () => {
  const { server, conversation, universe } = await begun();
  await universe.refresh(conversation);
  server.now += 5;
  server.put(4, { otype: 4, name: "caught", parent: 2, parameters: [{ reference: { type: 7, id: 2 } }, {}] });
  const changes = await universe.refresh(conversation);
  equal([changes.gone.queues, universe.own().length, universe.queues.size], [[4], 0, 0]);
});

test("orders come with their queue", async () => {
  const { conversation, universe } = await begun((server) => {
    for (const id of [2, 3]) server.queue.push({ id: 4, otype: 20, parameters: [{ object: { objectId: id } }, { list: {} }] });
  });
  await universe.refresh(conversation);
  equal(universe.orders.get(4).map((order) => [order.slot, order.kind, order.values[0]]), [[0, 20, 2], [1, 20, 3]]);
});

test("the orders of thousands of queues are asked for a few at a time", async () => {
  const ids = Array.from({ length: 3000 }, (_, at) => 1000 + at);
  const { conversation, universe } = await begun((server) => {
    for (const id of ids) server.put(id, { otype: 4, name: "", parent: 2, parameters: [{}, { orderQueue: { queueId: id } }] });
    server.queue.push({ id: 4, otype: 20, parameters: [{ object: {} }, { list: {} }] });
    server.getOrderQueueIds = (body) => server.ids("orderQueueIds", body, new Map(ids.map((id) => [id, server.objects.get(id)])));
  });
  await universe.refresh(conversation);
  equal([universe.queues.size, universe.orders.size, universe.orders.get(1000).length], [3000, 3000, 1]);
});

test("ancestors, children and insides are found, in a circle too", async () => {
  const { server, conversation, universe } = await begun();
  await universe.refresh(conversation);
  equal(universe.ancestors(4).map((thing) => thing.id), [2, 1, 0]);
  equal(universe.children(1).map((thing) => thing.id), [2, 3]);
  equal(universe.inside(0).map((thing) => thing.id), [1, 2, 4, 3]);
  equal([universe.ancestors(99), universe.children(99), universe.inside(99)], [[], [], []]);
  server.now += 1;
  server.put(2, { otype: 2, name: "A1", parent: 4, contains: [4] });
  server.put(4, { otype: 4, name: "loop", parent: 2, contains: [2] });
  await universe.refresh(conversation);
  equal([universe.ancestors(4).map((thing) => thing.id), universe.inside(4).map((thing) => thing.id)], [[2], [2]]);
});

test("a list that is refused is told, and asked for again the next time", async () => {
  const { server, conversation, universe } = await begun();
  server.instead.set("getObjectIds", [{ fail: { code: 3, result: "Log in first." } }]);
  await rejects(universe.refresh(conversation), Refusal, "Log in first.");
  await universe.refresh(conversation);
  equal(universe.objects.size, 5);
});

test("lists without end and answers of the wrong length are told", async () => {
  const { server, conversation, universe } = await begun();
  server.instead.set("getPlayerIds", [{ playerIds: { key: "1", remaining: "5" } }]);
  await rejects(universe.refresh(conversation), UnexpectedAnswer, "without ids");
  server.instead.set("getObjectsById", [{ sequenceOf: {} }]);
  await rejects(universe.refresh(conversation), UnexpectedAnswer, "0 frames");
});

test("an object that cannot be read is told", async () => {
  for (const parameters of [[{ resourceList: { resources: [null] } }], [{ size: { size: "ten" } }]]) {
    const { conversation, universe } = await begun((server) => {
      server.kinds[1] = { id: 1, name: "Galaxy", propertyGroups: [{ name: "All", parameters: [{ name: "It", type: 5 }] }] };
      server.put(1, { otype: 1, name: "Board", parameters });
    });
    await rejects(universe.refresh(conversation), UnexpectedAnswer, "getObjectsById cannot be read");
  }
  const { conversation, universe } = await begun((server) => server.put(1, { otype: 1, contains: 5, parameters: [5, null] }));
  await universe.refresh(conversation);
  equal(universe.objects.get(1).contains, []);
});

test("ten thousand objects are downloaded within bounds", async () => {
  const { server, conversation, universe } = await begun((made) => {
    for (let id = 100; id < 10_100; id += 1) {
      const parameters = [{ position: { vector: { x: String(id), y: "3" } } }];
      made.put(id, { otype: 2, name: `System ${id}`, desc: "far away", parent: 1, parameters });
    }
  });
  const told = [];
  const begin = performance.now();
  await universe.refresh(conversation, { tables: EVERYTHING, onProgress: (...step) => told.push(step) });
  const milliseconds = performance.now() - begin;
  equal(universe.objects.size, 10_005);
  holds(told.length > 50 && told.length < 1000, "progress is told, but not of each object");
  equal(told.at(-1)[0], told.at(-1)[1]);
  equal(server.count("getObjectsById"), 3, "requests");
  holds(milliseconds < 5000, `${milliseconds} ms are few`);
});
