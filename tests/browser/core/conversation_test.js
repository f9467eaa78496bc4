// The conversation against a socket that is played by hand.

import { Conversation, MOST_WAITING, PROTOCOL } from "/core/conversation.js";
import { BadArgument, ConnectionLost, Refusal, ServerAway, UnexpectedAnswer } from "/core/errors.js";
import { equal, holds, rejects, settled, test } from "./checks.js";
import { FakeTime, socketsOf } from "./fakes.js";

/** A conversation with a socket on which the test itself answers. */
async function begun(server = {}) {
  const time = new FakeTime();
  Object.assign(server, { sockets: [], answer: server.answer ?? (() => null) });
  const conversation = await Conversation.open("ws://here/ws", { WebSocket: socketsOf(server), time, patience: 1000 });
  const lost = [];
  conversation.addEventListener("lost", (event) => lost.push(event.detail));
  return { conversation, socket: server.sockets[0], time, lost };
}

const sent = (socket) => socket.sent.at(-1).sequence;

test("answers find their requests, in whatever sequence they come", async () => {
  const { conversation, socket } = await begun();
  const first = conversation.askOne("ping", {}, "okay");
  const second = conversation.askOne("getFeatures", {}, "features");
  equal(socket.sent, [{ sequence: 1, ping: {} }, { sequence: 2, getFeatures: {} }]);
  equal(conversation.unanswered, 2);
  socket.receive({ sequence: 2, features: { features: [5] } });
  socket.receive({ sequence: 1, okay: {} });
  equal([await first, await second], [{}, { features: [5] }]);
  equal(conversation.unanswered, 0);
});

test("a list is unpacked, with refusals in their places", async () => {
  const { conversation, socket } = await begun();
  const counts = [];
  const answer = conversation.ask("getPlayer", { ids: [1, 2] }, { each: (count) => counts.push(count) });
  socket.receive({ sequence: 1, sequenceOf: { number: 2 } });
  socket.receive({ sequence: 1, fail: { code: 4, result: "No such player.", references: [{ type: 7, id: 1 }] } });
  socket.receive({ sequence: 1, player: { id: 2 } });
  const [refusal, player] = await answer;
  holds(refusal instanceof Refusal && refusal.isGone, "the first is a refusal");
  equal([refusal.message, refusal.references], ["No such player.", [{ type: 7, id: 1 }]]);
  equal([player, counts], [{ kind: "player", body: { id: 2 } }, [1, 2]]);
});

test("an empty list is an answer", async () => {
  const { conversation, socket } = await begun();
  const answer = conversation.ask("getObjectsById", {});
  socket.receive({ sequence: 1, sequenceOf: {} });
  equal(await answer, []);
});

test("a refusal alone rejects, unless things were asked for one by one", async () => {
  const { conversation, socket } = await begun();
  const fail = { fail: { code: 5, result: "Not yours." } };
  const asked = rejects(conversation.ask("getOrder", {}), Refusal, "Not yours.");
  socket.receive({ sequence: sent(socket), ...fail });
  await asked;
  const each = conversation.askEach("getOrder", {});
  socket.receive({ sequence: sent(socket), ...fail });
  equal((await each).map((one) => one.code), [5]);
  const listed = conversation.ask("getObjectsById", {});
  socket.receive({ sequence: sent(socket), sequenceOf: { number: 1 } });
  socket.receive({ sequence: sent(socket), ...fail });
  equal((await listed).length, 1);
});

test("an answer of another kind is told by name", async () => {
  const { conversation, socket } = await begun();
  const answer = rejects(conversation.askOne("ping", {}, "okay"), UnexpectedAnswer, "ping with player");
  socket.receive({ sequence: 1, player: {} });
  await answer;
});

test("what nobody asked for is a push", async () => {
  const { conversation, socket } = await begun();
  const pushed = [];
  conversation.addEventListener("push", (event) => pushed.push(event.detail));
  socket.receive({ timeRemaining: { time: 5 } });
  equal(pushed, [{ kind: "timeRemaining", body: { time: 5 } }]);
});

test("the server's last words are told when the connection ends", async () => {
  const { conversation, socket, lost } = await begun();
  const waiting = rejects(conversation.ask("ping"), ConnectionLost, "closed the connection: Too slow.");
  socket.receive({ fail: { code: 3, result: "Too slow." } });
  socket.drop();
  await waiting;
  equal([lost.length, conversation.isOpen], [1, false]);
  await rejects(conversation.ask("ping"), ConnectionLost);
});

test("the reason of a close is told as well", async () => {
  const { conversation, socket } = await begun();
  const waiting = rejects(conversation.ask("ping"), ConnectionLost, "closed the connection: Going away.");
  socket.drop("Going away.");
  await waiting;
});

test("to hang up rejects who waits and is no loss", async () => {
  const { conversation, lost, time } = await begun();
  const waiting = rejects(conversation.ask("ping"), ConnectionLost, "closed here");
  conversation.close();
  await waiting;
  equal([lost.length, time.pending], [0, 0]);
});

test("a server that owes an answer and is silent is lost", async () => {
  const { conversation, socket, time, lost } = await begun();
  const waiting = rejects(conversation.ask("ping"), ConnectionLost, "did not answer ping within 1 seconds");
  await time.pass(900);
  socket.receive({ timeRemaining: {} });
  await time.pass(900);
  equal(lost.length, 0, "lost while it still talks");
  await time.pass(200);
  await waiting;
  equal(lost.length, 1);
});

test("silence is no loss while nothing is owed", async () => {
  const { conversation, socket, time, lost } = await begun();
  await time.pass(5000);
  const answer = conversation.ask("ping");
  await time.pass(900);
  socket.receive({ sequence: 1, okay: {} });
  await answer;
  await time.pass(5000);
  equal([lost.length, conversation.isOpen, time.pending], [0, true, 0]);
});

test("nonsense ends the connection with a sentence", async () => {
  const nonsense = [
    "no json",
    "null",
    "[]",
    "5",
    "{}",
    '{"sequence":1}',
    '{"sequence":1,"okay":{},"fail":{}}',
    '{"sequence":"1","okay":{}}',
    '{"sequence":1,"okay":[]}',
    '{"sequence":1,"okay":null}',
    '{"sequence":77,"okay":{}}',
    '{"sequence":1,"sequenceOf":{"number":4000000000}}',
    '{"sequence":-1,"okay":{}}',
    '{"sequence":1.5,"okay":{}}',
  ];
  for (const data of nonsense) {
    const { conversation, socket, lost } = await begun();
    const waiting = rejects(conversation.ask("ping"), UnexpectedAnswer, "The server");
    socket.receive(data);
    await waiting;
    equal([lost.length, conversation.isOpen], [1, false], data);
  }
});

test("binary data and endless text are nonsense, too", async () => {
  for (const data of [new ArrayBuffer(8), "x".repeat(16 * 1024 * 1024 + 1)]) {
    const { conversation, socket, lost } = await begun();
    socket.onmessage({ data });
    equal([lost.length, conversation.isOpen], [1, false]);
  }
});

test("only so many requests wait at once", async () => {
  const { conversation } = await begun();
  const waiting = Array.from({ length: MOST_WAITING }, () => conversation.ask("ping").catch(() => {}));
  await rejects(conversation.ask("ping"), BadArgument, "1000");
  conversation.close();
  await Promise.all(waiting);
});

test("a server that is away is told", async () => {
  const server = { sockets: [], away: true, answer: () => null };
  const time = new FakeTime();
  await rejects(Conversation.open("ws://here/ws", { WebSocket: socketsOf(server), time }), ServerAway, "away");
  equal(time.pending, 0);
});

test("a server that never opens is given up", async () => {
  const time = new FakeTime();
  class Never {
    close() {
      this.closed = true;
    }
  }
  const opening = rejects(Conversation.open("ws://here/ws", { WebSocket: Never, time, patience: 500 }), ServerAway, "0.5");
  await time.pass(500);
  await opening;
});

test("an address that makes no sense is told", async () => {
  await rejects(Conversation.open("ftp://[", {}), ServerAway, "cannot be used");
});

test("a connection that fails with an error only, as in Node, is away at once", async () => {
  class Failing {
    constructor() {
      queueMicrotask(() => this.onerror({}));
    }
  }
  await rejects(Conversation.open("ws://here/ws", { WebSocket: Failing }), ServerAway, "nobody answers");
});

test("where there is no WebSocket it is said how to bring one", async () => {
  await rejects(Conversation.open("ws://here/ws", { WebSocket: null }), BadArgument, "option WebSocket");
});

test("what does not speak the sub-protocol is left", async () => {
  const server = { sockets: [], protocol: "", answer: () => null };
  await rejects(Conversation.open("ws://here/ws", { WebSocket: socketsOf(server) }), ServerAway, PROTOCOL);
  await settled();
  holds(server.sockets[0].closed, "closed");
  holds(server.sockets[0].onerror, "in Node an error that nobody listens to would end the program");
});
