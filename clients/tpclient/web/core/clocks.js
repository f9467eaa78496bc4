// The turn clock of a game, from GetClock.

import { list, text, whole } from "./values.js";

/**
 * What a game's clock says. `due` and `ends` are in milliseconds since 1970, null where there is no deadline or the clock
 * stands; `waits`: finishing does not end a turn early; `banks` has the seconds that are left by player; `isOwned`: we have
 * made the game, and may change it, if not `needsConsent`: then the other players have to agree. `given`: the seconds that we
 * have given this turn, `most`: that we can still give it.
 * @typedef {{game: string, clock: string, words: string, due: number|null, ends: number|null, waits: boolean, banks: Map<number, number>, isOwned: boolean, needsConsent: boolean, given: number, most: number}} GameClock
 * @param {Object} body of a Clock frame @returns {GameClock}
 */
export function readGameClock(body) {
  return {
    game: text(body.game),
    clock: text(body.clock),
    words: text(body.words),
    due: 1000 * whole(body.due) || null,
    ends: 1000 * whole(body.ends) || null,
    waits: text(body.clock).split(" ").includes("wait"),
    banks: new Map(list(body.banks).map((one) => [whole(one.player), whole(one.seconds)])),
    isOwned: body.owned === true,
    needsConsent: body.needsConsent === true,
    given: whole(body.given),
    most: whole(body.most),
  };
}

/** The turns that may have a clock of their own. @param {Object} body of a ClockGroups frame @returns {{name: string, help: string}[]} */
export const readClockGroups = (body) => list(body.groups).map((one) => ({ name: text(one.name), help: text(one.help) }));

/** Whether the time of the turn is up, and grace or time banks run. @param {GameClock|null} clock @param {number} now */
export const isLate = (clock, now) => Boolean(clock?.due && clock.ends && clock.due <= now && now < clock.ends);
