// Notification settings of an account, for the time without a login.

import { list, text, whole } from "./values.js";

/**
 * Of a game: `mode` is "off", "turn" (each turn that awaits the player), "digest" (once a day), or "" (as in all others);
 * `hours` before the end of a turn that awaits the player, 0: not. `game` "": all of which nothing else is said.
 * @typedef {{game: string, mode: string, hours: number}} Wish
 */

/**
 * An address: `state` is "unverified", "verified" or "failing"; `problem` is why the last notice did not arrive; `secret`
 * is that of a webhook, told once; `resets`: a forgotten password may be reset by it.
 * @typedef {{id: number, kind: string, target: string, state: string, problem: string, secret: string, resets: boolean}} Address
 */

/**
 * Times of the day are "HH:MM"; `quietFrom` and `quietTo` are the same where there are no quiet hours.
 * @typedef {{channels: string[], addresses: Address[], usual: Wish, wishes: Wish[], zone: string, quietFrom: string,
 *   quietTo: string, digest: string}} Notices
 */

/** @param {Object} body of a NoticeAddress @returns {Address} */
export function readAddress(body) {
  return {
    id: whole(body.id), kind: text(body.kind), target: text(body.target), state: text(body.state), problem: text(body.problem), secret: text(body.secret),
    resets: body.resets === true,
  };
}

const readWish = (body) => ({ game: text(body?.game), mode: text(body?.mode), hours: whole(body?.hours) });

/** @param {Object} body of a Notices frame @returns {Notices} */
export function readNotices(body) {
  return {
    channels: list(body.channels).map(text),
    addresses: list(body.addresses).map(readAddress),
    usual: readWish(body.usual),
    wishes: list(body.wishes).map(readWish),
    zone: text(body.zone),
    quietFrom: clockOf(whole(body.quietFrom)),
    quietTo: clockOf(whole(body.quietTo)),
    digest: clockOf(whole(body.digest)),
  };
}

/** @param {Object} body of a Calendar */
export const readCalendar = (body) => ({ offered: body.offered === true, made: whole(body.made), path: text(body.path), url: text(body.url) });

/** Minutes after midnight as "HH:MM". @param {number} minutes */
export function clockOf(minutes) {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** "HH:MM" as minutes after midnight; what is none is midnight. @param {string} clock */
export function minutesOf(clock) {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(clock) ?? [0, 0, 0];
  return Number(hours) * 60 + Number(minutes);
}

/** What is wanted of a game, "" where nothing is said of it. @param {Notices} told @param {string} game @returns {Wish} */
export function wishFor(told, game) {
  return told.wishes.find((wish) => wish.game === game) ?? { game, mode: "", hours: 0 };
}
