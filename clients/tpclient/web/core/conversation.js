// A conversation with a server over a WebSocket, sub-protocol tp.json.
// Requests go out, responses and pushed frames come in. Each text message is one frame {"sequence": n, "<kind>": {...}}.
// All frames of a response repeat the sequence number of the request. Pushed frames have the number 0.

import { BadArgument, ConnectionLost, Refusal, ServerAway, UnexpectedAnswer } from "./errors.js";
import { references, text, whole } from "./values.js";

/** The WebSocket sub-protocol. */
export const PROTOCOL = "tp.json";
/** Requests that may wait for their answers at once. */
export const MOST_WAITING = 1000;
/** Frames that one answer may announce. */
export const MOST_IN_ONE_ANSWER = 200_000;
/** Characters that one frame from the server may have. */
export const LONGEST_FRAME = 16 * 1024 * 1024;

const LAST_SEQUENCE = 0xffffffff;

/**
 * The clock that everything here uses; tests pass another.
 * @typedef {{now: () => number, later: (milliseconds: number, call: () => void) => (() => void)}} Time
 * `now` in milliseconds; `later` returns a function that calls it off.
 */

/** @type {Time} */
export const REAL_TIME = {
  now: () => Date.now(),
  later(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * One frame of an answer: `kind` as in the schema's JSON ("object", "okay", "timeRemaining"), `body` its fields.
 * @typedef {{kind: string, body: Object}} Frame
 */

/**
 * Events: "push" (detail: Frame) for every frame that nobody asked for, and once "lost" (detail: ClientError) when the
 * connection ends for whatever reason but `close`.
 */
export class Conversation extends EventTarget {
  #socket;
  #time;
  #patience;
  #waiting = new Map();
  #sequence = 0;
  #heard;
  #callOff = null;
  #closingWords = "";
  /** @type {import("./errors.js").ClientError|null} */
  #end = null;

  constructor(socket, time, patience) {
    super();
    this.#socket = socket;
    this.#time = time;
    this.#patience = patience;
    this.#heard = time.now();
    socket.onmessage = (event) => this.#receive(event.data);
    socket.onclose = (event) => this.#finish(this.#closed(text(event?.reason)));
    socket.onerror = () => {};
  }

  /**
   * Open a connection; nothing is said yet.
   * @param {string} url ws:// or wss://
   * @param {{WebSocket?: Function, time?: Time, patience?: number}} options `patience`: milliseconds without any frame
   *   after which a server that owes an answer is taken for lost
   * @returns {Promise<Conversation>} rejects with ServerAway, or with BadArgument where there is no WebSocket
   */
  static open(url, { WebSocket = globalThis.WebSocket, time = REAL_TIME, patience = 30_000 } = {}) {
    return new Promise((resolve, reject) => {
      if (!WebSocket) throw new BadArgument("There is no WebSocket here: pass its class as the option WebSocket.");
      let socket;
      let callOff = () => {};
      const away = (why) => {
        callOff();
        if (socket) {
          socket.onopen = socket.onclose = null;
          socket.onerror = () => {}; // in Node an error that nobody listens to may end the program
        }
        reject(new ServerAway(why));
      };
      try {
        socket = new WebSocket(url, [PROTOCOL]);
      } catch (error) {
        away(`The address ${url} cannot be used: ${error.message}`);
        return;
      }
      callOff = time.later(patience, () => {
        away(`The server does not answer within ${patience / 1000} seconds.`);
        socket.close();
      });
      // Browsers tell of both; the WebSocket of Node 20 only of the error.
      socket.onerror = socket.onclose = (event) => away(text(event?.reason) || "The server is away: nobody answers at its address.");
      socket.onopen = () => {
        callOff();
        if (socket.protocol !== undefined && socket.protocol !== PROTOCOL) {
          away("What answers at the address does not speak tp.json.");
          socket.close();
          return;
        }
        resolve(new Conversation(socket, time, patience));
      };
    });
  }

  get isOpen() {
    return this.#end === null;
  }

  /** How many requests wait for an answer. */
  get unanswered() {
    return this.#waiting.size;
  }

  /**
   * Ask something and wait for the whole answer.
   * @param {string} kind the request's name in the schema's JSON, as "getObjectsById"
   * @param {Object} body its fields; 64-bit numbers as strings
   * @param {{each?: (count: number) => void}} options `each` is told how many frames have come so far
   * @returns {Promise<(Frame|Refusal)[]>} the frames without the Sequence that announced them, a Fail among several as
   *   the Refusal in its place. Rejects with a Refusal if that is the whole answer, with ConnectionLost, BadArgument.
   */
  async ask(kind, body = {}, options = {}) {
    const { frames, announced } = await this.#send(kind, body, options);
    if (!announced && frames.length === 1 && frames[0] instanceof Refusal) throw frames[0];
    return frames;
  }

  /** As `ask`, but a single refusal is an item too: for requests that name several things. */
  async askEach(kind, body = {}, options = {}) {
    return (await this.#send(kind, body, options)).frames;
  }

  /**
   * Ask for exactly one frame.
   * @param {string} wanted the kind of the answer
   * @returns {Promise<Object>} its body. Rejects with the Refusal, or UnexpectedAnswer if anything else came.
   */
  async askOne(kind, body, wanted) {
    const frames = await this.ask(kind, body);
    if (frames.length === 1 && frames[0] instanceof Refusal) throw frames[0];
    if (frames.length !== 1 || frames[0].kind !== wanted) {
      const got = frames.map((frame) => frame.kind ?? "fail").join(", ") || "nothing";
      throw new UnexpectedAnswer(`The server answered ${kind} with ${got.slice(0, 100)}, not with ${wanted}.`);
    }
    return frames[0].body;
  }

  /** Hang up. Whoever still waits gets ConnectionLost; no "lost" event follows. */
  close() {
    this.#finish(new ConnectionLost("The connection was closed here."), true);
  }

  #send(kind, body, { each }) {
    return new Promise((resolve, reject) => {
      if (this.#end) {
        reject(this.#end);
        return;
      }
      if (this.#waiting.size >= MOST_WAITING) {
        reject(new BadArgument(`${MOST_WAITING} requests wait for answers already; wait for some of them.`));
        return;
      }
      do {
        this.#sequence = this.#sequence >= LAST_SEQUENCE ? 1 : this.#sequence + 1;
      } while (this.#waiting.has(this.#sequence));
      try {
        this.#socket.send(JSON.stringify({ sequence: this.#sequence, [kind]: body }));
      } catch (error) {
        reject(new ConnectionLost(`The request could not be sent: ${error.message}`));
        return;
      }
      if (!this.#waiting.size) this.#heard = this.#time.now();
      this.#waiting.set(this.#sequence, { kind, frames: [], missing: 1, announced: false, each, resolve, reject });
      this.#watch();
    });
  }

  /** While anything is owed, look again when the server could have been silent for too long. */
  #watch() {
    if (this.#callOff || !this.#waiting.size || this.#end) return;
    const rest = this.#heard + this.#patience - this.#time.now();
    this.#callOff = this.#time.later(Math.max(rest, 1), () => {
      this.#callOff = null;
      if (!this.#waiting.size) return;
      if (this.#time.now() - this.#heard < this.#patience) {
        this.#watch();
        return;
      }
      const [{ kind }] = this.#waiting.values();
      this.#finish(new ConnectionLost(`The server did not answer ${kind} within ${this.#patience / 1000} seconds.`));
    });
  }

  #restNow() {
    this.#callOff?.();
    this.#callOff = null;
  }

  #receive(data) {
    if (this.#end) return;
    this.#heard = this.#time.now();
    let frame;
    try {
      frame = parsed(data);
    } catch (error) {
      this.#finish(error);
      return;
    }
    const { sequence, kind, body } = frame;
    if (sequence === 0) {
      if (kind === "fail") this.#closingWords = text(body.result);
      this.dispatchEvent(new CustomEvent("push", { detail: { kind, body } }));
      return;
    }
    const waiting = this.#waiting.get(sequence);
    if (!waiting) {
      this.#finish(new UnexpectedAnswer(`The server answered request ${sequence}, but nothing was asked.`));
      return;
    }
    if (kind === "sequenceOf" && !waiting.announced) {
      waiting.announced = true;
      waiting.missing = whole(body.number);
      if (waiting.missing > MOST_IN_ONE_ANSWER) {
        this.#finish(new UnexpectedAnswer(`The server announced an answer of ${waiting.missing} frames.`));
        return;
      }
    } else {
      waiting.frames.push(kind === "fail" ? refusal(body) : { kind, body });
      waiting.missing -= 1;
      waiting.each?.(waiting.frames.length);
    }
    if (!waiting.missing) {
      this.#waiting.delete(sequence);
      if (!this.#waiting.size) this.#restNow();
      waiting.resolve(waiting);
    }
  }

  #closed(reason) {
    const words = this.#closingWords || reason;
    return new ConnectionLost(words ? `The server closed the connection: ${words}` : "The connection to the server is lost.");
  }

  #finish(error, quietly = false) {
    if (this.#end) return;
    this.#end = error;
    this.#restNow();
    this.#socket.onmessage = this.#socket.onclose = null;
    try {
      this.#socket.close();
    } catch {
      // It is closed already.
    }
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(error);
    if (!quietly) this.dispatchEvent(new CustomEvent("lost", { detail: error }));
  }
}

/** A Fail frame as a Refusal. */
function refusal(body) {
  return new Refusal(whole(body.code), text(body.result), references(body.references));
}

function parsed(data) {
  if (typeof data !== "string" || data.length > LONGEST_FRAME) {
    throw new UnexpectedAnswer("The server sent something that is no frame of text.");
  }
  let message;
  try {
    message = JSON.parse(data);
  } catch {
    throw new UnexpectedAnswer("The server sent a frame that is no JSON.");
  }
  const sequence = message?.sequence ?? 0;
  let kind;
  let count = 0;
  for (const key in Object(message)) if (key !== "sequence" && ++count) kind = key;
  const body = message?.[kind];
  if (count !== 1 || !Number.isInteger(sequence) || !body || typeof body !== "object" || Array.isArray(body)) {
    throw new UnexpectedAnswer("The server sent JSON that is no frame.");
  }
  return { sequence, kind, body };
}
