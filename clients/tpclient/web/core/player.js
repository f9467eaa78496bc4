// A player at a server, with a connection that is opened again.
// Lobby, login, the copy of the universe, orders, messages and turns.
//
// Events, each with a `detail`:
//   "lost"      {error, seconds}          the connection is lost; seconds until the next attempt, null: none follows
//   "back"      {rebuilt}                 connected, logged in and up to date again; rebuilt: `universe` is a new one
//   "time"      {clock}                   a TimeRemaining frame came, requested or pushed
//   "changed"   {changes}                 a refresh found something
//   "messages"  {news, messages}          the player's board has changed
//   "turn"      {clock, changes, news}    a turn has begun and everything is up to date; after "changed", "messages"
//   "queue"     {queue}                   what `queued` says of a queue may be different now
//   "over"      {clock}                   the game is over; sent once
//   "failed"    {error}                   an update failed for a reason other than the connection
//   "progress"  {done, total}             of a download, in things

import { readAppearance, readStanding } from "./appearance.js";
import { Board } from "./board.js";
import { readClock, tellsTheEnd, REASON } from "./clock.js";
import { readClockGroups, readGameClock } from "./clocks.js";
import { CODE, ConnectionLost, Refusal } from "./errors.js";
import { Giving } from "./giving.js";
import { readKeptLogins, readOwnGame, readRuleset } from "./home.js";
import { readAddress, readCalendar, readNotices } from "./notices.js";
import { TURN, WATCH, areSame, readLogin } from "./lobby.js";
import { APPEND } from "./orders.js";
import { readScores } from "./scores.js";
import { EVERYTHING, PASSING, Universe } from "./universe.js";
import { list, text, whole } from "./values.js";
import { Visitor } from "./visitor.js";

export { ACCOUNTS, webSocketUrl } from "./visitor.js";

/** Milliseconds before each attempt to come back; the last is used again and again. */
export const PAUSES = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];
/** Milliseconds between looks at what comes without notice: letters, and players who joined. */
export const GLANCE = 20_000;
/** Own games that are listed at most. */
const MOST_GAMES = 500;

/** A visitor who has logged in, or is about to. */
export class Player extends Visitor {
  /** The copy of what we see; another one after `login` and after "back" with `rebuilt`. */
  universe = new Universe();
  /** The newest clock. @type {import("./clock.js").Clock|null} */
  clock = null;
  /** Whether the game is over. */
  over = false;
  /** Whether all that a turn brought is here: not from the moment in which one begins until "turn". */
  isUpToDate = false;
  /** The turn that all here is of: what we ask for is meant for it. -1: not known. */
  seenTurn = -1;
  /** The turn that we have finished here last, -1: none; it can be taken back as long as it goes on. */
  finishedTurn = -1;
  /** Whether the server may know how to take that back: until it has said that it does not. */
  canUnfinish = true;
  /** Who is logged in, and to which game ("" if none was named). */
  user = "";
  game = "";

  #options;
  #pauses;
  #glance;
  #password = "";
  #games = [];
  /** The connection on which the account is logged in to no game yet. */
  #home = null;
  /** The login to the account that is on its way. */
  #homecoming = null;

  /** The game that is played or watched, as the server lists it; null where that cannot be told. */
  get listing() {
    const name = this.game.replace(WATCH, "");
    const meant = this.#games.filter((game) => (name ? game.name === name : !game.isOver));
    return meant.length === 1 ? meant[0] : null;
  }

  /** The rules of this game for players. @returns {Promise<import("./rules.js").Rules>} rejects as `rules` does */
  ownRules() {
    return this.rules(this.listing?.ruleset ?? "", this.listing?.version);
  }

  /** Whether the game is only watched: its name was followed by "/watch" at login. */
  get isWatching() {
    return this.game.endsWith(WATCH);
  }
  #board = new Board();
  #giving = new Giving(this);
  #line = Promise.resolve();
  #turnIsDue = false;
  /** Whether a turn has begun while everything was downloaded. */
  #isBehind = false;
  #attempts = 0;
  #callOffReturn = null;
  #callOffGlance = null;
  #return = null;

  /**
   * @param {{url: string, client?: string, WebSocket?: Function, time?: import("./conversation.js").Time,
   *   patience?: number, pauses?: number[], glance?: number}} options as for Visitor; `pauses`: see PAUSES; `glance`:
   *   see GLANCE, 0: never
   */
  constructor(options) {
    super(options);
    this.#options = options;
    this.#pauses = options.pauses ?? PAUSES;
    this.#glance = options.glance ?? GLANCE;
  }

  /**
   * Log in, connecting first if need be, and download everything. Whoever was logged in before is no more.
   * @param {string} user the name, or NAME@GAME, or NAME@GAME/watch
   * @param {string} password "": as the browser that has stayed logged in
   * @param {string} game its name; "" where one game is meant
   * @param {(done: number, total: number) => void} onProgress
   * @param {string} invitation the word that lets one into a game for invited players
   * @returns {Promise<string>} the server's welcome. Rejects with the Refusal; another try may follow.
   */
  async login(user, password, game = "", onProgress = undefined, invitation = "") {
    const named = user.includes("@") && readLogin(user);
    if (named && named.turn === null) [user, game] = [named.user, game || named.game + (named.isWatching ? WATCH : "")];
    if (this.state === "playing" || this.state === "returning") this.#hangUp("away");
    await this.connect();
    const [welcome, games] = await Promise.all([this.#enter(user, password, game, invitation), this.games()]);
    Object.assign(this, { user, game, over: false, clock: null, finishedTurn: -1, seenTurn: -1, universe: new Universe() });
    const looks = this.#learnAppearance(this.universe);
    this.#password = password;
    this.#games = games;
    this.#board = new Board();
    this.#giving = new Giving(this);
    try {
      await this.#catchUp(EVERYTHING, onProgress);
      await looks;
    } catch (error) {
      this.#hangUp("away"); // a connection logs in only once
      throw error;
    }
    this.state = "playing";
    this.#attempts = 0;
    this.#glanceLater();
    this.#checkTheEnd(this.messages);
    this.#hasCaughtUp();
    return welcome;
  }

  /** How the game looks is not needed to play; older servers do not tell it. */
  async #learnAppearance(universe) {
    const body = await this.requests.getAppearance().catch(() => null);
    if (body) universe.appearance = readAppearance(body);
  }

  /** How all stand now. @returns {Promise<import("./appearance.js").Standing>} rejects with the Refusal of a server that does not tell it */
  async standing() {
    return readStanding(await this.requests.getStanding());
  }

  /** How all stood in each turn, and the places at the end. @returns {Promise<import("./scores.js").Scores>} rejects as `standing` does */
  async scores() {
    return readScores(await this.requests.getScores());
  }

  async #enter(user, password, game, invitation = "") {
    if (this.#homecoming) await this.#homecoming.catch(() => {});
    if (!this.isAtHome && (!password || invitation)) await this.#goHome(password && user, password);
    if (this.isAtHome) {
      const words = await this.requests.enterGame({ game, invitation });
      this.#home = null; // from here on this is a connection to a game
      return words;
    }
    const username = game ? `${user}@${game}` : user;
    return this.requests.login({ username, password });
  }

  /** Another connection to this server, not opened yet: its owner closes it. @returns {Visitor} */
  companion() {
    return new Visitor(this.#options);
  }

  /** Log a companion in to an old turn, as who we are. @returns {Promise<Object>} rejects with the Refusal */
  async enterTurn(companion, turn) {
    const game = `${this.listing?.name ?? this.game.replace(WATCH, "")}${TURN}${turn}`;
    if (this.#password) {
      return companion.askOne("login", { username: `${this.user}@${game}`, password: this.#password }, "okay");
    }
    await companion.askOne("loginAccount", { username: "", password: "" }, "account");
    return companion.askOne("enterGame", { game }, "okay");
  }

  // --- the account (home.js reads what is told of it)

  /** Whether it is logged in to the account and to no game. */
  get isAtHome() {
    return this.isConnected && this.#home === this.conversation;
  }

  /**
   * Log in to an account and to no game, connecting first if need be. `login` goes into a game from there.
   * @param {string} user both empty: as the browser that has stayed logged in
   * @returns {Promise<string>} the account's name. Rejects with the Refusal; another try may follow.
   */
  async loginAccount(user = "", password = "") {
    if (this.state === "playing" || this.state === "returning" || this.isAtHome) this.#hangUp("away");
    await this.connect();
    return this.#goHome(user, password);
  }

  #goHome(user, password) {
    this.#homecoming ??= (async () => {
      const { name } = await this.requests.loginAccount({ username: user, password });
      this.#home = this.conversation;
      this.user = text(name);
      this.#password = password;
      return this.user;
    })().finally(() => {
      this.#homecoming = null;
    });
    return this.#homecoming;
  }

  /** Who has left a game, or lost the connection, logs in to the account again first. */
  async #beLoggedIn() {
    if (this.state === "playing") return;
    const password = this.#password; // a connection has the cookies of its opening
    await this.connect();
    const stays = password !== this.#password; // since then
    if (!this.isAtHome) await this.#goHome(password && this.user, password);
    if (stays) this.stays();
  }

  /** The games in which the account has a seat; logs in again if need be. @returns {Promise<import("./home.js").OwnGame[]>} */
  async ownGames() {
    await this.#beLoggedIn();
    const games = [];
    let start = 0;
    do {
      const part = await this.requests.getMyGames({ start });
      games.push(...list(part.games).map((game) => readOwnGame(game, this.time.now())));
      start = whole(part.following);
    } while (start && games.length < MOST_GAMES);
    return games;
  }

  /** Go into another game, as whoever is logged in. Resolves and rejects as `login`. */
  moveTo(game, onProgress = undefined, invitation = "") {
    return this.login(this.user, this.#password, game, onProgress, invitation);
  }

  /** What games can be made of, see readRuleset; no login is needed. */
  async rulesets() {
    await this.connect();
    return (await this.ask("getRulesets")).filter((frame) => frame.kind === "ruleset").map((frame) => readRuleset(frame.body));
  }

  /**
   * Make a game, with a seat for us.
   * @param {{name: string, ruleset: string, seats: number, bots: number, clock: string, invited: boolean, options: {name: string, value: string}[]}} game
   * @returns {Promise<string>} the server's words; rejects with the Refusal, and nothing is made
   */
  async createGame(game) {
    return this.requests.createGame(game);
  }

  /**
   * What the clock of a game says, see readGameClock; no login is needed, unless it is for invited players.
   * @param {string} game its name; "": that which is played
   */
  async gameClock(game = "") {
    await this.connect();
    return readGameClock(await this.requests.getClock({ game }));
  }

  /** The turns of a ruleset that may have a clock of their own, see readClockGroups; no login is needed. @param {string} ruleset */
  async clockGroups(ruleset) {
    await this.connect();
    return readClockGroups(await this.requests.getClockGroups({ ruleset }));
  }

  /**
   * Change a game of ours; where the other players have to agree, propose it to them.
   * @param {string} kind of the request @param {Object} body of it @param {Object} proposal the same for Propose, without the game
   * @returns {Promise<string>} the server's words
   */
  async changeGame(kind, body, proposal) {
    try {
      return (await this.askOne(kind, body, "okay")).result ?? "";
    } catch (error) {
      if (error.code !== CODE.NEEDS_CONSENT) throw error;
    }
    return this.requests.propose({ game: body.game, ...proposal });
  }

  /** Give the turn of a game of ours more time. @param {string} game @param {number} seconds @returns {Promise<string>} the server's words */
  extendTurn(game, seconds) {
    const meant = this.meantIn(game);
    return this.changeGame("extendTurn", { game, seconds, ...meant }, { kind: "extension", seconds, ...meant });
  }

  /** Take back what `extendTurn` has given last. @param {string} game @returns {Promise<string>} the server's words */
  async takeTimeBack(game) {
    return this.requests.extendTurn({ game, takeBack: true, ...this.meantIn(game) });
  }

  /** Give a game of ours another clock. @param {string} game @param {string} clock as the server writes it @returns {Promise<string>} the server's words */
  setClock(game, clock) {
    return this.changeGame("setClock", { game, clock }, { kind: "clock", clock });
  }

  /** The word that lets others into a game that we have made; the one before is good for nothing any more. */
  async invitation(game) {
    return text((await this.requests.getInvitation({ game })).word);
  }

  /** A ticket by which this browser stays logged in. @param {string} label what it is called in `keptLogins` */
  async keepLogin(label) {
    return text((await this.requests.keepLogin({ label })).ticket);
  }

  /** This browser stays logged in: it comes back without the password, which is forgotten. */
  stays() {
    this.#password = "";
  }

  /** The guest here is an account now. */
  became(user, password) {
    this.user = user;
    this.#password = password;
  }

  /** Where the account stays logged in, see readKeptLogins. */
  async keptLogins() {
    await this.#beLoggedIn();
    return readKeptLogins(await this.requests.getKeptLogins());
  }

  /** Log out somewhere. @param {number} id of keptLogins; 0: everywhere */
  async revokeLogin(id) {
    return this.requests.revokeLogin({ id });
  }

  /** Give the account another password; other logins end, and what of `dropped` is true. @returns {Promise<string>} the server's words */
  async changePassword(old, password, dropped = {}) {
    const { addresses = false, providers = false, links = false } = dropped;
    const words = await this.requests.changePassword({ old, new: password, dropAddresses: addresses, dropProviders: providers, dropLinks: links });
    this.#password = password;
    return words;
  }

  /** How the account is told of its games while nobody is there. @returns {Promise<import("./notices.js").Notices>} */
  async notices() {
    return readNotices(await this.requests.getNotices());
  }

  /** Add an address, to which a code is sent. @param {string} token of a Matrix account @returns {Promise<import("./notices.js").Address>} */
  async addNoticeAddress(kind, target, token = "", { resets = false, password = "" } = {}) {
    return readAddress(await this.requests.addNoticeAddress({ kind, target, token, resets, password }));
  }

  /** Say whether a forgotten password may be reset by a mail address, by its id; 0: by the account's own. @returns {Promise<string>} the server's words */
  async setResetAddress(id, resets, password = "") {
    return this.requests.setResetAddress({ id, resets, password });
  }

  /** Bring the code that was sent to an address; "": have another sent. */
  async verifyNoticeAddress(id, code) {
    return this.requests.verifyNoticeAddress({ id, code });
  }

  async removeNoticeAddress(id) {
    return this.requests.removeNoticeAddress({ id });
  }

  /** Set what one is told in a game, "": in all others. @param {string} mode see Wish @param {number} hours */
  async setNoticeWish(game, mode, hours) {
    return this.requests.setNoticeWish({ wish: { game, mode, hours } });
  }

  /** Set time zone, quiet hours and the time of the digest, in minutes after midnight. */
  async setNoticeTimes(zone, quietFrom, quietTo, digest) {
    return this.requests.setNoticeTimes({ zone, quietFrom, quietTo, digest });
  }

  /**
   * The account's calendar: whether there may be a link to it, and when it was made (unix seconds, 0: none is).
   * @returns {Promise<{offered: boolean, made: number, path: string, url: string}>}
   */
  async calendar() {
    return readCalendar(await this.requests.getCalendar());
  }

  /** Make a link to the calendar, in place of an earlier one; only this answer has it, as `path` and perhaps `url`. */
  async makeCalendar(password = "") {
    return readCalendar(await this.requests.makeCalendar({ password }));
  }

  async revokeCalendar() {
    return this.requests.revokeCalendar();
  }

  /** Hang up for good. */
  leave() {
    this.#hangUp("left");
  }

  // --- keeping up to date

  /** The number of the turn, 0 before anything is known. */
  get turn() {
    return this.clock?.turn ?? 0;
  }

  /** The newest messages of the own board, oldest first. @type {import("./board.js").Message[]} */
  get messages() {
    return this.#board.messages;
  }

  /**
   * Bring everything up to date. What happens in turns and to our orders is fetched without this.
   * @returns {Promise<import("./universe.js").Changes>}
   */
  refresh(onProgress = undefined) {
    return this.#inLine(async () => (await this.#catchUp(EVERYTHING, onProgress)).changes);
  }

  /** Ask how long the turn still lasts. @returns {Promise<import("./clock.js").Clock>} */
  async timeRemaining() {
    return this.#told(await this.requests.getTimeRemaining());
  }

  /** Everything that changes the copy stands in one line, so that answers are never mixed. */
  #inLine(work) {
    const result = this.#line.then(work);
    this.#line = result.catch(() => {});
    return result;
  }

  async #catchUp(tables, onProgress = undefined) {
    const report = (done, total) => {
      onProgress?.(done, total);
      this.tell("progress", { done, total });
    };
    // The clock is answered first.
    const [, found] = await Promise.all([this.timeRemaining(), this.#look(tables, report)]);
    return found;
  }

  async #look(tables, report = undefined) {
    const refreshing = this.universe.refresh(this.conversation, { tables, onProgress: report });
    // The first time the own board is read meanwhile, but after the list: no message falls in between.
    const first = this.#board.id ? null : this.#board.read(this.conversation);
    first?.catch(() => {});
    const changes = await refreshing;
    if (changes.any) this.tell("changed", { changes });
    const isNew = changes.fetched.boards?.some((id) => first || id === this.#board.id);
    return { changes, news: isNew ? await this.#readBoard(first) : [] };
  }

  async #readBoard(reading = null) {
    const news = await (reading ?? this.#board.read(this.conversation));
    this.tell("messages", { news, messages: this.messages });
    return news;
  }

  #glanceLater() {
    this.#callOffGlance?.();
    if (!this.#glance) return;
    this.#callOffGlance = this.time.later(this.#glance, async () => {
      this.#callOffGlance = null;
      if (this.state !== "playing") return;
      try {
        await this.#inLine(async () => {
          await this.timeRemaining();
          await this.#look(["players", "boards"]);
        });
      } catch (error) {
        this.#failed(error);
      }
      if (this.state === "playing") this.#glanceLater();
    });
  }

  // --- the clock

  pushed({ kind, body }) {
    if (kind === "timeRemaining") this.#told(body, true);
  }

  #told(body, isPush = false) {
    const before = this.clock;
    const clock = readClock(body, this.time.now());
    this.clock = clock;
    this.tell("time", { clock });
    const isNew = (isPush && clock.reason === REASON.TURN_BEGINS) || (before && before.turn !== clock.turn);
    if (isNew && !clock.computing) {
      if (this.state === "playing") this.#beginTurn();
      else this.#isBehind = true;
    }
    return clock;
  }

  /** All was downloaded; a turn that began meanwhile is looked at. */
  #hasCaughtUp() {
    this.isUpToDate = true;
    if (!this.#isBehind) {
      this.seenTurn = this.turn;
      return;
    }
    this.#isBehind = false;
    this.#beginTurn();
  }

  /** Look at a turn that has begun. One that begins meanwhile is looked at in one go. */
  async #beginTurn() {
    this.isUpToDate = false;
    if (this.#turnIsDue) return;
    this.#turnIsDue = true;
    try {
      await this.#inLine(async () => {
        this.#turnIsDue = false;
        const { changes, news } = await this.#look(PASSING);
        this.isUpToDate = !this.#turnIsDue;
        if (this.isUpToDate) this.seenTurn = this.turn;
        this.tell("turn", { clock: this.clock, changes, news });
        this.#checkTheEnd(news);
      });
    } catch (error) {
      this.#failed(error);
    }
  }

  #checkTheEnd(news) {
    if (this.over || !this.clock || !tellsTheEnd(this.clock, news)) return;
    this.over = true;
    this.tell("over", { clock: this.clock });
  }

  // --- turns and messages

  /** What a request says of the turn for which it is meant; in another one the server refuses it. */
  get meant() {
    return this.seenTurn < 0 ? {} : { turn: this.seenTurn };
  }

  /** The same of a request that names a game. */
  meantIn(game) {
    return game === this.listing?.name ? this.meant : {};
  }

  /** Say that we are done with this turn. @returns {Promise<string>} the server's words */
  async finishTurn() {
    const { meant, seenTurn } = this;
    const words = await this.requests.finishedTurn(meant);
    this.finishedTurn = seenTurn;
    return words;
  }

  /** Take that back until the turn is computed. @returns {Promise<string>} the server's words; rejects with the Refusal */
  async unfinishTurn() {
    try {
      const words = await this.requests.unfinishTurn(this.meant);
      this.finishedTurn = -1;
      return words;
    } catch (error) {
      if (error instanceof Refusal && error.code <= CODE.FRAME) this.canUnfinish = false;
      throw error;
    }
  }

  /** Put a message on a board; a player's has the player's id, `EVERYBODY` is all of them. @returns {Promise<string>} the server's words */
  async post(board, subject, body) {
    const message = { id: board, slot: String(APPEND), subject, body };
    const words = (await this.askOne("postMessage", message, "okay")).result ?? "";
    await this.#inLine(() => this.#readBoard()); // the own copy
    return words;
  }

  /** Take messages off the own board by their slots. Rejects with the first Refusal. */
  async removeMessages(slots) {
    const highestFirst = [...slots].sort((one, other) => other - one);
    const frames = await this.askEach("removeMessage", { id: this.#board.id, slots: highestFirst });
    await this.#inLine(async () => {
      await this.#board.readAgain(this.conversation);
      this.tell("messages", { news: [], messages: this.messages });
    });
    const refused = frames.find((frame) => frame instanceof Refusal);
    if (refused) throw refused;
  }

  // --- orders (giving.js says more about each)

  /**
   * The orders of a queue as confirmed, with those on their way.
   * @param {number} queue @returns {import("./giving.js").QueuedOrder[]}
   */
  queued(queue) {
    return this.#giving.queued(queue);
  }

  /** Whether the answer to a change of the orders is still to come. */
  get isSending() {
    return this.#giving.isSending;
  }

  /**
   * What an order of a kind wants, with limits and choices as the server tells them for the values so far.
   * @param {number} queue @param {number} kind id of the OrderKind @param {any[]} values undefined: not chosen yet
   * @param {import("./giving.js").Place} place where it is to be
   * @returns {Promise<import("./orders.js").Field[]>}
   */
  fields(queue, kind, values = [], place = {}) {
    return this.#giving.fields(queue, kind, values, place);
  }

  /**
   * What `insertOrder`, or `replaceOrder`, would give in a place of the queue.
   * @param {import("./giving.js").Place} place
   * @returns {Promise<import("./orders.js").Order>} rejects as `insertOrder` does
   */
  probe(queue, kind, values, place = {}) {
    return this.#giving.probe(queue, kind, values, place);
  }

  /**
   * Give an order.
   * @param {number} queue @param {number} kind id of the OrderKind @param {any[]} values see orders.js
   * @param {number} slot the position from 0, or APPEND
   * @returns {Promise<import("./orders.js").Order>} as the server has it. Rejects with BadArgument or Refusal, whose
   *   `parameter` says what is at fault, or with ConnectionLost. If the connection is lost on the way it waits until
   *   we are back and looks whether the order arrived.
   */
  insertOrder(queue, kind, values, slot = APPEND) {
    return this.#giving.insertOrder(queue, kind, values, slot);
  }

  /** Put an order in the place of that in a slot, which stays if the new one is refused. Rejects as `insertOrder`. */
  replaceOrder(queue, slot, kind, values) {
    return this.#giving.replaceOrder(queue, slot, kind, values);
  }

  /** Move an order from slot to slot. Rejects as `insertOrder`. */
  moveOrder(queue, from, to) {
    return this.#giving.moveOrder(queue, from, to);
  }

  /** Take an order out. Rejects with a Refusal, or a ClientError if there is another one by now. */
  removeOrder(queue, slot) {
    return this.#giving.removeOrder(queue, slot);
  }

  /** Fetch one queue again. */
  refreshQueue(queue) {
    return this.#inLine(() => this.universe.refreshQueue(this.conversation, queue));
  }

  // --- coming back

  /**
   * Wait until we are back after the connection was lost; at once if we are.
   * @param {Error} error what to reject with if we do not come back
   */
  async returned(error) {
    if (this.state === "playing" && this.isConnected) return;
    if (!this.#return) throw error;
    if (!(await this.#return.promise)) throw error;
  }

  /** Try to come back now instead of at the end of the pause. */
  retry() {
    if (!this.#callOffReturn) return;
    this.#callOffReturn();
    this.#callOffReturn = null;
    this.#tryToReturn();
  }

  disconnected(error) {
    this.isUpToDate = false;
    if (this.state === "playing") {
      this.state = "returning";
      this.#attempts = 0;
      this.#return = withResolver();
      this.#returnLater(error);
    } else if (this.state !== "returning") super.disconnected(error);
    // While returning, whoever asks is told.
  }

  #returnLater(error) {
    const pauses = this.#pauses;
    const pause = pauses[Math.min(this.#attempts, pauses.length - 1)];
    this.#attempts += 1;
    this.#callOffReturn = this.time.later(pause, () => {
      this.#callOffReturn = null;
      this.#tryToReturn();
    });
    this.tell("lost", { error, seconds: pause / 1000 });
  }

  async #tryToReturn() {
    try {
      const rebuilt = await this.#comeBack();
      if (this.state !== "returning") return;
      if (!this.isConnected) throw new ConnectionLost("The connection is lost again.");
      this.state = "playing";
      this.#attempts = 0;
      this.#return.resolve(true);
      this.#return = null;
      this.#glanceLater();
      this.tell("back", { rebuilt });
      this.#hasCaughtUp();
    } catch (error) {
      if (this.state !== "returning") return;
      this.disconnect();
      if (!(error instanceof Refusal) || error.isTemporary) this.#returnLater(error);
      else {
        this.#hangUp("away");
        this.tell("lost", { error, seconds: null });
      }
    }
  }

  /** @returns {Promise<boolean>} whether it is another game, so that everything was downloaded anew */
  async #comeBack() {
    const games = await this.games();
    await this.#enter(this.user, this.#password, this.game);
    const me = await this.askOne("getPlayer", { ids: [0] }, "player");
    const before = this.turn;
    await this.timeRemaining();
    const rebuilt = !areSame(this.#games, games, this.game.replace(WATCH, "")) || whole(me.id) !== this.universe.me || this.turn < before;
    if (rebuilt) {
      this.universe = new Universe();
      this.#board = new Board();
      this.over = false;
      this.finishedTurn = -1;
    }
    this.#games = games;
    const looks = rebuilt && this.#learnAppearance(this.universe);
    await this.#inLine(() => this.#catchUp(EVERYTHING));
    await looks;
    return rebuilt;
  }

  #hangUp(state) {
    this.state = state;
    this.#callOffReturn?.();
    this.#callOffGlance?.();
    this.#callOffReturn = this.#callOffGlance = null;
    this.disconnect();
    this.#return?.resolve(false);
    this.#return = null;
  }

  #failed(error) {
    if (!(error instanceof ConnectionLost)) this.tell("failed", { error });
  }
}

function withResolver() {
  const made = {};
  made.promise = new Promise((resolve) => {
    made.resolve = resolve;
  });
  return made;
}
