// A clock that is moved by hand, and a server of a few lines in place of the real one.

import { settled } from "./checks.js";

/** Time that passes only by `pass`. */
export class FakeTime {
  #now = 1_000_000;
  #calls = new Set();

  now = () => this.#now;

  later = (milliseconds, call) => {
    const entry = { due: this.#now + milliseconds, call };
    this.#calls.add(entry);
    return () => this.#calls.delete(entry);
  };

  /** Let milliseconds pass, and whatever is due happen in its sequence. */
  async pass(milliseconds) {
    const end = this.#now + milliseconds;
    await settled();
    for (;;) {
      const [next] = [...this.#calls].filter((entry) => entry.due <= end).sort((one, other) => one.due - other.due);
      if (!next) break;
      this.#calls.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.call();
      await settled();
    }
    this.#now = end;
  }

  get pending() {
    return this.#calls.size;
  }
}

/** A WebSocket class whose sockets talk to `answer(frame, socket)`, which returns frames, or null for no answer. */
export function socketsOf(server) {
  return class FakeSocket {
    constructor(url, protocols) {
      this.url = url;
      this.protocol = server.protocol ?? protocols[0];
      this.sent = [];
      server.sockets.push(this);
      queueMicrotask(() => (server.away ? this.onclose?.({ code: 1006, reason: "" }) : this.onopen?.({})));
    }

    send(data) {
      if (this.closed) throw new Error("closed");
      const frame = JSON.parse(data);
      this.sent.push(frame);
      queueMicrotask(() => {
        for (const answer of server.answer(frame, this) ?? []) this.receive({ sequence: frame.sequence, ...answer });
      });
    }

    receive(frame) {
      if (!this.closed) this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
    }

    close() {
      this.closed = true;
    }

    /** The connection ends as seen from here. */
    drop(reason = "") {
      this.closed = true;
      this.onclose?.({ code: 1006, reason });
    }
  };
}

const several = (frames) => (frames.length === 1 ? frames : [{ sequenceOf: { number: frames.length } }, ...frames]);
const fail = (code, result, references) => ({ fail: { code, result, references } });
const timed = (value) => String(value);

/** A server with one player, one board and a few objects, of which tests change what they like. */
export class FakeServer {
  sockets = [];
  away = false;
  /** Kinds of requests that stay without an answer. */
  silent = new Set();
  /** By kind of request: what is answered in place of the truth, once. */
  instead = new Map();
  password = "secret";
  created = 1000;
  turn = 1;
  clock = { time: 2147483647, turnName: "", waiting: [1] };
  now = 100;
  messages = [];
  /** By turn: the reports of its summary. */
  reports = new Map();
  /** How many summaries fit an answer. */
  mostSummaries = 64;
  queue = [];
  /** By id: [modification time, body]. */
  objects = new Map();
  gone = new Map();

  constructor() {
    this.put(0, { otype: 0, name: "All", contains: [1], parameters: [{ integer: { value: 1 } }] });
    this.put(1, { otype: 1, name: "Board", contains: [2, 3], parameters: [] });
    this.put(2, { otype: 2, name: "A1", parent: 1, contains: [4], parameters: [{ position: { vector: { x: "5" } } }] });
    this.put(3, { otype: 2, name: "B1", parent: 1, parameters: [{ position: { vector: { x: "-9007199254740993" } } }] });
    this.put(4, {
      otype: 4,
      name: "<img src=x onerror=alert(1)>",
      parent: 2,
      parameters: [
        { reference: { type: 7, id: 1 } },
        { orderQueue: { queueId: 4 } },
        { referenceQuantityList: { references: [{ type: 9, id: 3, number: 2 }] } },
      ],
    });
    this.WebSocket = socketsOf(this);
  }

  put(id, body) {
    this.objects.set(id, [this.now, { id, ...body, modtime: timed(this.now) }]);
  }

  take(id) {
    this.objects.delete(id);
    this.gone.set(id, this.now);
  }

  get socket() {
    return this.sockets.at(-1);
  }

  /** How many requests of a kind came over all connections. */
  count(kind) {
    return this.sockets.flatMap((socket) => socket.sent).filter((frame) => kind in frame).length;
  }

  push(reason, changes = {}) {
    this.socket.receive({ timeRemaining: { ...this.time(), reason, ...changes } });
  }

  beginTurn() {
    this.turn += 1;
    this.now += 10;
    this.push(1);
  }

  time() {
    return { ...this.clock, turn: this.turn };
  }

  answer(frame, socket) {
    const [kind] = Object.keys(frame).filter((key) => key !== "sequence");
    if (this.silent.has(kind)) return null;
    if (this.instead.has(kind)) {
      const frames = this.instead.get(kind);
      this.instead.delete(kind);
      return typeof frames === "function" ? frames(frame[kind], socket) : frames;
    }
    const known = this[kind];
    return known ? known(frame[kind]) : [fail(1, `the fake server does not know ${kind}`)];
  }

  connect = () => [{ okay: { result: "Welcome" } }];
  getFeatures = () => [{ features: { features: [5, 1000] } }];
  getGames = () => [{ game: { name: "first", rule: "toy", created: timed(this.created), parameters: [
    { id: 5, stringValue: "running; all-done" }, { id: 9, intValue: this.turn }, { id: 6, intValue: 5000 },
  ] } }];
  login = ({ password }) =>
    password === this.password ? [{ okay: { result: "Hello" } }] : [fail(5, "The password is wrong.")];
  loginAccount = ({ username, password }) =>
    !username || password === this.password ? [{ account: { name: "ann" } }] : [fail(5, "The password is wrong.")];
  enterGame = () => [{ okay: { result: "Hello" } }];
  getMyGames = () => [{ myGames: {} }];
  getTimeRemaining = () => [{ timeRemaining: this.time() }];
  finishedTurn = () => [{ okay: { result: "Done" } }];
  unfinishTurn = () => [{ okay: { result: "Go on" } }];
  getTurnSummaries = ({ first = 0, amount }) => {
    const turns = [...this.reports.keys()].filter((turn) => turn >= first && turn < first + amount).sort((a, b) => a - b);
    return [
      { sequenceOf: { number: Math.min(turns.length, this.mostSummaries) } },
      ...turns.slice(0, this.mostSummaries).map((turn) => ({ turnSummary: { turn, title: `Day ${turn}`, began: timed(1000 + turn), reports: this.reports.get(turn) } })),
    ];
  };
  getPlayer = ({ ids }) => several(ids.map((id) => ({ player: { id: id || 1, name: id > 1 ? "ben" : "ann" } })));
  getPlayerIds = (body) => this.ids("playerIds", body, new Map([[1, [50]], [2, [50]]]));
  getBoardIds = (body) => this.ids("boardIds", body, new Map([[1, [this.messages.at(-1)?.at ?? 50]]]));
  getBoards = () => [{ board: { id: 1, name: "Own", messages: this.messages.length } }];
  getMessage = ({ slots }) => several(slots.map((slot) => ({ message: { id: 1, slot: timed(slot), ...this.messages[slot] } })));
  removeMessage = ({ slots }) => several(slots.map((slot) => {
    this.messages.splice(slot, 1);
    return { okay: {} };
  }));
  postMessage = () => [{ okay: { result: "Posted" } }];
  getResourceIds = (body) => this.ids("resourceIds", body, new Map([[6, [50]]]));
  getResource = () => [{ resource: { id: 6, singularName: "Seed", pluralName: "Seeds", singularUnit: "bag" } }];
  getDesignIds = (body) => this.ids("designIds", body, new Map([[3, [50]]]));
  getDesign = () => [{ design: { id: "3", name: "Worker", owner: "-1", usage: "0" } }];
  getObjectDescIds = (body) => this.ids("objectDescIds", body, new Map([0, 1, 2, 4].map((id) => [id, [50]])));
  getObjectDesc = ({ ids }) => several(ids.map((id) => ({ objectDesc: this.kinds[id] })));
  getOrderDescIds = (body) => this.ids("orderDescIds", body, new Map([[20, [50]]]));
  getOrderDesc = () => [{ orderDesc: { id: 20, name: "Walk", description: "Go", parameters: [
    { name: "To", type: 2, description: "Where" }, { name: "Load", type: 6, description: "What" },
  ] } }];
  getObjectIds = (body) => this.ids("objectIds", body, this.objects, this.gone);
  getObjectsById = ({ ids }) => [
    { sequenceOf: { number: ids.length } },
    ...ids.map((id) => (this.objects.has(id) ? { object: this.objects.get(id)[1] } : fail(6, `Object ${id} is gone.`))),
  ];
  getOrderQueueIds = (body) =>
    this.ids("orderQueueIds", body, new Map(this.objects.has(4) ? [[4, this.objects.get(4)]] : []));
  getOrderQueue = ({ ids }) => several(ids.map((id) => ({ orderQueue: {
    id, numOrders: this.queue.length, maxSlots: 100, orderTypes: [20],
  } })));
  getOrder = ({ slots }) => several(slots.map((slot) => (slot < this.queue.length
    ? { order: this.shown(this.queue[slot], slot) } : fail(4, "There is nothing in that slot."))));
  orderProbe = (order) => this.judged(order) ?? [{ order: this.shown(order, -1) }];
  orderInsert = (order) => {
    const refused = this.judged(order);
    if (refused) return refused;
    const slot = Number(order.slot) < 0 ? this.queue.length : Number(order.slot);
    this.queue.splice(slot, 0, order);
    return [{ order: this.shown(order, slot) }];
  };
  orderReplace = (order) => {
    const slot = Number(order.slot);
    const refused = this.judged(order, this.queue.toSpliced(slot, 1));
    if (refused) return refused;
    this.queue[slot] = order;
    return [{ order: this.shown(order, slot) }];
  };
  removeOrder = ({ slots }) => {
    this.queue.splice(slots[0], 1);
    return [{ okay: {} }];
  };

  judge = () => "";

  judged(order, queue = this.queue) {
    const words = this.judge(order, queue);
    return words ? [fail(5, words, [{ type: 13, id: order.id }])] : null;
  }

  shown(order, slot) {
    const [to, load] = order.parameters;
    return { ...order, slot: timed(slot), turns: 1, parameters: [
      { object: { ...to.object, validTypes: [2] } },
      { list: { ...load.list, possibleSelections: [{ id: 8, name: "leaf", maxNumber: 2 }] } },
    ] };
  }

  kinds = {
    0: { id: 0, name: "Universe", propertyGroups: [{ name: "Informational", parameters: [{ name: "Year", type: 8 }] }] },
    1: { id: 1, name: "Galaxy" },
    2: { id: 2, name: "Star System", propertyGroups: [{ name: "Positional", parameters: [{ name: "Position", type: 0 }] }] },
    4: { id: 4, name: "Fleet", propertyGroups: [
      { name: "Owner", parameters: [{ name: "Owner", type: 6 }] },
      { name: "Rest", parameters: [{ name: "Queue", type: 4 }, { name: "Ships", type: 7 }, { name: "Damage", type: 8 }] },
    ] },
  };

  /** Pages of three, so that paging is always at work, unless there are many. */
  ids(kind, { key, start = 0, fromtime }, things, gone = new Map()) {
    const since = Number(fromtime);
    const all = [...things].map(([id, [time]]) => [id, time]).filter(([, time]) => since < 0 || time > since);
    if (since >= 0) all.push(...[...gone].filter(([, time]) => time > since));
    const page = all.slice(start, start + (all.length > 100 ? 4000 : 3));
    const remaining = all.length - start - page.length;
    const ids = page.map(([id, time]) => ({ id, modtime: timed(time) }));
    return [{ [kind]: { key: timed(Number(key) < 0 ? 7 : key), remaining: timed(remaining), ids, fromtime: timed(this.now) } }];
  }
}
