// Messages that a player may write, blocks, mutes and abuse reports.

import { list, text, whole } from "./values.js";

/**
 * `press` is "private", "public" or "none", and `words` says it for people; `isMuted`: we hear no letters to everybody in
 * this game; `blocked` are the accounts whose letters are not taken, `game` "": in all games, else in that only, where
 * `player` is its number; `silenced` is until when we may write to nobody, in milliseconds, 0: we may write; `moderates`: we
 * are a moderator.
 * @typedef {{game: string, press: string, words: string, isMuted: boolean, blocked: {name: string, game: string, player: number}[], silenced: number, reason: string, moderates: boolean}} Talk
 */

/** @param {import("./player.js").Player} player @param {string} game its name; "": that which is played @returns {Promise<Talk>} */
export async function talkOf(player, game = "") {
  const body = await player.requests.getTalk({ game });
  return {
    game: text(body.game),
    press: text(body.press) || "private",
    words: text(body.words),
    isMuted: body.muted === true,
    blocked: list(body.blocked).map((one) => ({ name: text(one.name), game: text(one.game), player: whole(one.player) })),
    silenced: 1000 * whole(body.silenced),
    reason: text(body.reason),
    moderates: body.moderates === true,
  };
}

/** Hear nothing of letters to everybody in the game that is played, or hear them again. @param {import("./player.js").Player} player @param {boolean} muted @returns {Promise<string>} the server's words */
export const setMute = (player, muted) => player.requests.setMute({ muted });

/** Take no letters of an account, or take them again. @param {import("./player.js").Player} player @param {{name?: string, player?: number, game?: string}} whom by name, or a player's number in a game, "": that which is played @param {boolean} blocked @returns {Promise<string>} the server's words */
export const setBlock = (player, whom, blocked) => player.requests.setBlock({ ...whom, blocked });

/** For moderators: let an account write to nobody for so many days. @param {import("./player.js").Player} player @param {string} name @param {number} days 0: not any more @param {string} [reason] which it is told @returns {Promise<string>} the server's words */
export const setSilence = (player, name, days, reason = "") => player.requests.setSilence({ name, days, reason });

/** Show a letter to the moderators; `spectators`: from their board, when the game is over. @param {import("./player.js").Player} player @param {{slot: number, subject: string, spectators?: boolean}} letter @param {string} reason @returns {Promise<string>} the server's words */
export const reportMessage = (player, { slot, subject, spectators = false }, reason) => player.requests.reportMessage({ slot, subject, reason, spectators });

/**
 * A letter that was reported, as it was stored; times in milliseconds, `decision` "" as long as it is open.
 * @typedef {{id: number, at: number, reporter: string, writer: string, game: string, turn: number, written: number, subject: string, body: string, reason: string, decision: string, closedBy: string, answer: string}} MessageReport
 */

/** For moderators: the first letters that were reported and about which nothing was decided. @param {import("./player.js").Player} player @returns {Promise<MessageReport[]>} */
export async function reportsOf(player) {
  return list((await player.requests.getMessageReports()).reports).map((one) => ({
    id: whole(one.id), at: 1000 * whole(one.at), reporter: text(one.reporter), writer: text(one.writer), game: text(one.game), turn: whole(one.turn), written: 1000 * whole(one.written),
    subject: text(one.subject), body: text(one.body), reason: text(one.reason), decision: text(one.decision), closedBy: text(one.closedBy), answer: text(one.answer),
  }));
}

/** For moderators: decide about a report. @param {import("./player.js").Player} player @param {{id: number, decision: string, answer: string, days: number}} wanted `decision` is "dismissed", "warned" or "silenced" @returns {Promise<string>} the server's words */
export const closeReport = (player, { id, decision, answer, days = 0 }) => player.requests.closeReport({ id, decision, answer, days });
