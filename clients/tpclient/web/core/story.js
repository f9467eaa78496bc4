// The reports of each closing, which the server keeps for this seat.
// They are apart from the message board. The newest are here, and older ones are loaded on request. A server that keeps
// none has only the messages.

import { fightAt } from "./changes.js";
import { CODE, ClientError, Refusal } from "./errors.js";
import { list, references, text, whole } from "./values.js";

/** So many turns are asked for at once; the server gives fewer where they are long. */
export const A_PAGE = 12;
/** The server gives at most so many. */
const MOST_AT_ONCE = 64;
/** So many turns stay in memory; the oldest go. */
export const MOST_CARDS = 400;
/** From so many turns on that began without us it is told what happened meanwhile; one is what the newest card tells. */
export const LONG_AWAY = 2;

/**
 * One report: `player` is whose doing it was, 0 if that is not said; `failed`: an order of ours came to nothing.
 * @typedef {{player: number, failed: boolean, subject: string, body: string,
 *   references: {type: number, id: number}[]}} Report
 */
/**
 * What was told when a turn began. `title` may be empty; `began` is in unix seconds, 0 if that is not known; of the
 * reports those that failed come first.
 * @typedef {{turn: number, title: string, began: number, reports: Report[]}} Card
 */

/**
 * The turns `first` to `last` began while we were away, and `letters` came; `known` is the first of them whose card is
 * here: of a long time only the later ones are. `failed` are reports of own orders, `fights` the first report of each.
 * @typedef {{first: number, last: number, letters: number, known: number, failed: {turn: number, report: Report}[],
 *   fights: {turn: number, report: Report}[]}} Absence
 */

/**
 * Events: "story" {isNew}: there are other cards than before; isNew: of turns that have begun just now. "notice": the player
 * has taken notice of what happened while away.
 */
export class Story extends EventTarget {
  #player;
  /** @type {Map<number, Card>} */
  #cards = new Map();
  /** The turns that were asked for: from the oldest to just before `#next`. */
  #oldest = 0;
  #next = 0;
  #isMissing = false;
  /** @type {{first: number, last: number, letters: number}|null} */
  #away = null;
  #line = Promise.resolve();
  /** Counts games. */
  #game = 0;

  /** @param {import("./player.js").Player} player */
  constructor(player) {
    super();
    this.#player = player;
    player.addEventListener("turn", () => this.update());
    player.addEventListener("messages", () => this.#isMissing && this.#tell(false));
  }

  /** Begin anew, with the newest turns of another game. @returns {Promise<void>} */
  reset() {
    this.#game += 1;
    this.#cards.clear();
    this.#isMissing = false;
    this.#away = null;
    this.#next = this.#oldest = Math.max(0, this.#player.turn + 1 - A_PAGE);
    return this.update(false);
  }

  /** The cards, the newest first. @returns {Card[]} */
  get cards() {
    // Of turns before it kept them the server has none, but there may be messages.
    const isMissing = ({ turn }) => this.#isMissing || (turn >= this.#oldest && turn < this.#next && !this.#cards.get(turn)?.reports.length);
    const found = new Map([...this.#cards, ...cardsOf(this.#player.messages).filter(isMissing).map((card) => [card.turn, card])]);
    return [...found.values()].sort((one, other) => other.turn - one.turn);
  }

  /** The card of a turn; undefined if it is not here. @param {number} turn @returns {Card|undefined} */
  card(turn) {
    return this.cards.find((card) => card.turn === turn);
  }

  /**
   * We have come back: tell what happened while we were away, if that was long, and read the cards of those turns.
   * @param {number} first @param {number} last the turns that began meanwhile @param {number} letters how many came
   */
  cameBack(first, last, letters = 0) {
    return this.#inLine(async () => {
      const before = this.#away; // what has not been taken notice of is told still
      const since = Math.max(0, before ? Math.min(before.first, first) : first);
      if (last - since + 1 < LONG_AWAY) return;
      this.#away = { first: since, last, letters: letters + (before?.letters ?? 0) };
      const from = Math.max(since, last - MOST_AT_ONCE + 1);
      const end = this.#oldest;
      try {
        if (from < end) await this.#read(from, end - 1, (next) => next >= end && (this.#oldest = from));
      } finally {
        this.#tell(false);
      }
    });
  }

  /** What happened while we were away; null if we were not, or have taken notice. @returns {Absence|null} */
  get absence() {
    if (!this.#away) return null;
    const { first, last } = this.#away;
    const cards = this.cards.filter(({ turn }) => turn >= first && turn <= last).reverse();
    const reports = cards.flatMap(({ turn, reports }) => reports.map((report) => ({ turn, report })));
    const places = new Set();
    const isFirst = ({ turn, report }) => {
      const key = `${turn} ${fightAt(report)}`;
      return !places.has(key) && places.add(key);
    };
    return {
      ...this.#away,
      known: cards[0]?.turn ?? last + 1,
      failed: reports.filter(({ report }) => report.failed),
      fights: reports.filter((one) => fightAt(one.report) !== undefined && isFirst(one)),
    };
  }

  /** We have taken notice of what happened while we were away. */
  takeNotice() {
    if (!this.#away) return;
    this.#away = null;
    this.dispatchEvent(new CustomEvent("notice"));
    this.#tell(false);
  }

  /** Whether there may be older ones than those that are here. */
  get hasMore() {
    return !this.#isMissing && this.#oldest > 0 && this.#cards.size < MOST_CARDS;
  }

  /** Ask for the turns that have begun since. */
  update(isNews = true) {
    return this.#inLine(async () => {
      const before = this.#next;
      await this.#read(this.#next, this.#player.turn, (next) => (this.#next = next));
      if (this.#next > before || this.#isMissing) this.#tell(isNews);
    });
  }

  /** Ask for a page of older turns. */
  more() {
    return this.#inLine(async () => {
      if (!this.hasMore) return;
      const first = Math.max(0, this.#oldest - A_PAGE);
      const end = this.#oldest;
      await this.#read(first, end - 1, (next) => next >= end && (this.#oldest = first));
      this.#tell(false);
    });
  }

  /** The card of any turn, asked for if it is not here. @returns {Promise<Card|undefined>} undefined where there is none */
  async ask(turn) {
    const known = this.card(turn);
    if (this.#isMissing || known) return known;
    return (await this.#ask(turn, 1))[0];
  }

  /** One question after the other; those of a game that was left are dropped. */
  #inLine(work) {
    const game = this.#game;
    this.#line = this.#line.then(async () => {
      try {
        if (game === this.#game) await work();
      } catch (error) {
        if (!(error instanceof ClientError)) throw error; // what was not read now is asked for with the next turn
      }
    });
    return this.#line;
  }

  /** Read the turns from `first` to `last`. @param {(next: number) => void} done is told up to where all are here */
  async #read(first, last, done) {
    for (let next = first; next <= last && !this.#isMissing; ) {
      const amount = Math.min(last - next + 1, MOST_AT_ONCE);
      const cards = await this.#ask(next, amount);
      for (const card of cards) this.#cards.set(card.turn, card);
      // Fewer than asked for, but some: the rest comes with another question. None: there are none.
      const reached = cards.at(-1)?.turn ?? last;
      next = Math.max(reached, next) + 1;
      done(next);
      this.#bound();
    }
  }

  async #ask(first, amount) {
    try {
      const frames = await this.#player.ask("getTurnSummaries", { first, amount });
      return frames.filter((frame) => frame.kind === "turnSummary").map((frame) => readCard(frame.body)).filter(({ turn }) => turn >= first && turn < first + amount);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code <= CODE.FRAME) this.#isMissing = true;
      else if (!error.isGone) throw error;
      return [];
    }
  }

  #bound() {
    const turns = [...this.#cards.keys()].sort((one, other) => one - other);
    for (const turn of turns.slice(0, Math.max(0, turns.length - MOST_CARDS))) {
      this.#cards.delete(turn);
      this.#oldest = turn + 1;
    }
  }

  #tell(isNew) {
    this.dispatchEvent(new CustomEvent("story", { detail: { isNew } }));
  }
}

const failedFirst = (reports) => reports.sort((one, other) => other.failed - one.failed);

/** @param {Object} body of a TurnSummary frame @returns {Card} */
export function readCard(body) {
  const reports = list(body.reports).map((one) => ({
    player: whole(one.player),
    failed: one.failed === true,
    subject: text(one.subject),
    body: text(one.body),
    references: references(one.references),
  }));
  return { turn: whole(body.turn), title: text(body.title), began: whole(body.began), reports: failedFirst(reports) };
}

/** The same from what is left of the messages. @param {import("./board.js").Message[]} messages @returns {Card[]} */
function cardsOf(messages) {
  const found = new Map();
  for (const { turn, subject, body, from, references: about } of messages) {
    if (from) continue; // a letter
    if (!found.has(turn)) found.set(turn, { turn, title: "", began: 0, reports: [] });
    found.get(turn).reports.push({ player: 0, failed: false, subject, body, references: about });
  }
  return [...found.values()];
}
