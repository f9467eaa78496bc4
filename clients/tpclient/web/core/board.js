// The player's message board: turn reports and messages.

import { REFERENCE } from "./objects.js";
import { references, text, whole } from "./values.js";

/** Older messages than so many stay on the server. */
export const MOST_KEPT = 1000;
const MOST_AT_ONCE = 500;

/** The board that stands for those of all players. */
export const EVERYBODY = 0xffffffff;

/**
 * `from` wrote a letter, 0: the server a report; `to` is the board that it was posted to, as `EVERYBODY`, 0: only this one.
 * `writer`: a spectator.
 * @typedef {{slot: number, turn: number, subject: string, body: string, from: number, to: number, writer: string,
 *   references: {type: number, id: number}[]}} Message
 */

/** The newest messages of a board, oldest first. */
export class Board {
  /** @type {Message[]} */
  messages = [];
  /** The board's id; 0 until it was read. @type {number} */
  id = 0;

  /**
   * Read what is new. Messages have no ids: if the newest known one is another now, some were removed elsewhere, and all
   * are read anew.
   * @param {import("./conversation.js").Conversation} conversation
   * @returns {Promise<Message[]>} the messages that are new
   */
  async read(conversation) {
    const { id, messages: count } = await conversation.askOne("getBoards", { ids: [this.id] }, "board");
    this.id = whole(id);
    const newest = this.messages.at(-1);
    const first = Math.max(0, whole(count) - MOST_KEPT);
    const found = await this.#fetch(conversation, Math.max(first, newest?.slot ?? 0), whole(count));
    if (newest && !(found.length && isSame(found[0], newest)) && newest.slot >= first) {
      this.messages = await this.#fetch(conversation, first, whole(count));
      return [];
    }
    const news = newest ? found.filter((message) => message.slot > newest.slot) : found;
    this.messages = [...this.messages, ...news].filter((message) => message.slot >= first);
    return news;
  }

  /** Read everything anew, as after messages were removed. */
  async readAgain(conversation) {
    this.messages = [];
    await this.read(conversation);
  }

  async #fetch(conversation, first, count) {
    const found = [];
    for (let at = first; at < count; at += MOST_AT_ONCE) {
      const slots = Array.from({ length: Math.min(MOST_AT_ONCE, count - at) }, (_, index) => at + index);
      const frames = await conversation.askEach("getMessage", { id: this.id, slots });
      found.push(...frames.filter((frame) => frame.kind === "message").map((frame) => readMessage(frame.body)));
    }
    return found;
  }
}

function readMessage(body) {
  const about = references(body.references);
  return {
    slot: whole(body.slot),
    turn: whole(body.turn),
    subject: text(body.subject),
    body: text(body.body),
    from: about.find((one) => one.type === REFERENCE.PLAYER)?.id ?? 0,
    to: about[0]?.type === REFERENCE.PLAYER && about[1]?.type === REFERENCE.BOARD ? about[1].id : 0,
    writer: text(body.writer),
    references: about,
  };
}

const isSame = (one, other) =>
  one.slot === other.slot && one.turn === other.turn && one.subject === other.subject && one.body === other.body;
