// A visitor of a server before login: connection, games, new accounts.

import { Conversation, REAL_TIME } from "./conversation.js";
import { ConnectionLost } from "./errors.js";
import { readSetup } from "./home.js";
import { readGame } from "./lobby.js";
import { Requests } from "./requests.js";
import { readRules } from "./rules.js";
import { list, whole } from "./values.js";

/** The feature that says that accounts can be made (TP04, Features). */
export const ACCOUNTS = 1000;

/** The feature that says that accounts can make games. */
export const GAME_CREATION = 1001;

/** The feature that says that forgotten passwords are reset by mail. */
export const PASSWORD_RESET = 1002;

/** The features that say that guests come in, and that other servers log in to accounts here. */
export const [GUESTS, SIGN_IN] = [1003, 1004];

/** Requests that change nothing; another invitation ends the one before. */
const READS = /^(get(?!Invitation$)|connect$|ping|login|enterGame|orderProbe|showTurn|setFilters)/;

/** Where the page's own server has its WebSocket. @param {Location} location @returns {string} */
export function webSocketUrl(location) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
}

/** Connects when something is asked of it and there is no connection. Player is one; see there for the events. */
export class Visitor extends EventTarget {
  /** "away", "lobby" (connected), "playing", "returning" (lost; trying again) or "left". */
  state = "away";
  /** @type {import("./conversation.js").Time} */
  time;
  /** Every request as a method. */
  requests = new Requests(this);

  #options;
  /** @type {Conversation|null} */
  #conversation = null;
  #connecting = null;
  /** How often we have hung up: what was being connected by then is not wanted any more. */
  #hangUps = 0;
  #welcome = "";
  /** Promises of Rules by ruleset and version. */
  #rules = new Map();

  /**
   * @param {{url: string, client?: string, WebSocket?: Function, time?: import("./conversation.js").Time,
   *   patience?: number}} options `url` of the WebSocket; `client`: what we call ourselves; `patience`: milliseconds
   *   that an answer may take
   */
  constructor(options) {
    super();
    this.#options = options;
    this.time = options.time ?? REAL_TIME;
  }

  /** Connect and say hello, if we have not. @returns {Promise<string>} the server's welcome; rejects with ServerAway */
  connect() {
    if (!this.#connecting) {
      const attempt = this.#greet().finally(() => {
        if (this.#connecting === attempt) this.#connecting = null;
      });
      this.#connecting = attempt;
    }
    return this.#connecting;
  }

  async #greet() {
    if (this.#conversation?.isOpen) return this.#welcome;
    const { url, client = "tpclient web", WebSocket, patience } = this.#options;
    const before = this.#hangUps;
    const conversation = await Conversation.open(url, { WebSocket, time: this.time, patience });
    if (this.#hangUps !== before) {
      conversation.close();
      throw new ConnectionLost("The connection was closed here.");
    }
    this.#conversation = conversation;
    conversation.addEventListener("push", (event) => this.pushed(event.detail));
    conversation.addEventListener("lost", (event) => {
      if (conversation !== this.#conversation) return;
      this.#conversation = null;
      this.disconnected(event.detail);
    });
    this.#welcome = (await conversation.askOne("connect", { client }, "okay")).result ?? "";
    if (this.state === "away" || this.state === "left") this.state = "lobby";
    return this.#welcome;
  }

  /** The numbers of the features that the server offers, as ACCOUNTS. @returns {Promise<number[]>} */
  async features() {
    await this.connect();
    return list((await this.requests.getFeatures()).features).map(whole);
  }

  /** The games on the server; no login is needed. @returns {Promise<import("./lobby.js").Listing[]>} */
  async games() {
    await this.connect();
    return (await this.requests.getGames()).map((body) => readGame(body));
  }

  /** Make an account; log in afterwards. @returns {Promise<string>} the server's words */
  async createAccount(user, password, email = "") {
    await this.connect();
    return this.requests.createAccount({ username: user, password, email, comment: "" });
  }

  /**
   * What a game was made with; no login is needed, unless it is for invited players.
   * @param {string} game its name; "": that which is played
   * @returns {Promise<import("./home.js").Setup>} rejects with the Refusal, also of a server that does not tell it
   */
  async setup(game) {
    await this.connect();
    return readSetup(await this.requests.getGameSetup({ game }));
  }

  /**
   * The rules for players of a ruleset, asked for once for each version; no login is needed.
   * @param {string} ruleset as a Listing has it; "": that of the game that is played
   * @param {string} version as a Listing has it; it tells only whether they are known already
   * @returns {Promise<import("./rules.js").Rules>} rejects with the Refusal of a server that has none
   */
  rules(ruleset, version = "") {
    if (!ruleset) return this.#askRules(ruleset); // what is played is another game after the next login
    const key = JSON.stringify([ruleset, version]);
    if (!this.#rules.has(key)) {
      const asked = this.#askRules(ruleset);
      this.#rules.set(key, asked);
      asked.catch(() => this.#rules.delete(key));
    }
    return this.#rules.get(key);
  }

  async #askRules(ruleset) {
    await this.connect();
    return readRules(await this.requests.getRules({ ruleset }));
  }

  // --- asking

  /** The connection as it is now; throws ConnectionLost if there is none. @type {Conversation} */
  get conversation() {
    if (!this.#conversation) throw new ConnectionLost("There is no connection to the server now.");
    return this.#conversation;
  }

  get isConnected() {
    return this.#conversation?.isOpen === true;
  }

  /** As Conversation.ask, whatever the connection is at the moment. "asked" {kind, answer} tells of each change. */
  async ask(kind, body, options) {
    return this.#asked(kind, this.conversation.ask(kind, body, options));
  }

  #asked(kind, answer) {
    if (!READS.test(kind)) this.tell("asked", { kind, answer });
    return answer;
  }

  /** As Conversation.askEach. */
  async askEach(kind, body, options) {
    return this.#asked(kind, this.conversation.askEach(kind, body, options));
  }

  /** As Conversation.askOne. */
  async askOne(kind, body, wanted) {
    return this.#asked(kind, this.conversation.askOne(kind, body, wanted));
  }

  /** Hang up, quietly. */
  disconnect() {
    const conversation = this.#conversation;
    this.#conversation = null;
    this.#connecting = null; // whoever asks from now on gets a connection of its own
    this.#hangUps += 1;
    conversation?.close();
  }

  // --- what the server does

  /** A frame came that nobody asked for. @param {import("./conversation.js").Frame} frame */
  pushed(frame) {}

  /** The connection has ended without our doing. @param {import("./errors.js").ClientError} error */
  disconnected(error) {
    this.state = "away";
    this.tell("lost", { error, seconds: null });
  }

  /** Dispatch an event. */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
