// The time remaining in a turn, from a TimeRemaining frame.

import { list, text, whole } from "./values.js";

/** The seconds that a clock without a deadline shows. */
export const NO_DEADLINE = 2147483647;

/** Why a clock was told (TP04, TimeRemaining). */
export const REASON = Object.freeze({
  REQUESTED: 0,
  TURN_BEGINS: 1,
  WARNING: 2,
  ALL_FINISHED: 3,
  SOME_FINISHED: 4,
  TIME_IS_UP: 5,
});

/** How the name of the turn begins, or what a report's subject says, at the end. */
const GAME_OVER = "game over";

/**
 * `time` is in seconds, told at the moment `at`; `deadline` is when it runs out, null: never (both in milliseconds since
 * 1970). `waiting`: who is awaited. `computing`: the turn is, now. `over`: the name of the turn says that the game is over.
 * `delay`: turns that we watch later than `present`.
 * @typedef {{time: number, reason: number, turn: number, name: string, waiting: number[], at: number,
 *   deadline: number|null, computing: boolean, over: boolean, delay: number, present: number}} Clock
 */

/** @param {Object} body of a TimeRemaining frame @param {number} at when it came @returns {Clock} */
export function readClock(body, at) {
  const time = whole(body.time);
  const name = text(body.turnName);
  const waiting = list(body.waiting).map(whole);
  return {
    time,
    reason: whole(body.reason),
    turn: whole(body.turn),
    name,
    waiting,
    at,
    deadline: time >= NO_DEADLINE ? null : at + 1000 * time,
    computing: time === 0,
    over: !waiting.length && name.toLowerCase().startsWith(GAME_OVER),
    delay: whole(body.watchDelay),
    present: whole(body.presentTurn),
  };
}

/**
 * Whether messages of the server, not letters, say that the game is over; it is not while anybody is awaited.
 * @param {Clock} clock @param {import("./board.js").Message[]} news
 */
export function tellsTheEnd(clock, news) {
  const told = news.some((message) => !message.from && message.subject.toLowerCase().includes(GAME_OVER));
  return clock.over || (told && !clock.waiting.length);
}

/** Whole seconds left, null without a deadline. @param {Clock} clock @param {number} now milliseconds @returns {number|null} */
export function secondsLeft(clock, now) {
  return clock.deadline === null ? null : Math.max(0, Math.ceil((clock.deadline - now) / 1000));
}
