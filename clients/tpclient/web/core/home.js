// The games of an account, as MyGames tells of them, and where the account is logged in.

import { list, text, whole } from "./values.js";

/** The time that says that a turn has no deadline (TP04, TimeRemaining). */
const NO_DEADLINE = 2147483647;

/**
 * One game in which the account has a seat. `state` is "waiting", "running", "paused", "held" or "over"; `deadline` is in
 * milliseconds since 1970, null where there is none; `isComputing`: its turn is being computed; `isMine` of a seat: it is
 * ours; `isAwaited`: the turn waits for us.
 * @typedef {{name: string, ruleset: string, title: string, version: string, state: string, turn: number, turnName: string,
 *   deadline: number|null, isComputing: boolean, isAwaited: boolean, isOver: boolean,
 *   seats: {name: string, isBot: boolean, isAwaited: boolean, isMine: boolean}[]}} OwnGame
 */

/** @param {Object} body a MyGame @param {number} now milliseconds since 1970 @returns {OwnGame} */
export function readOwnGame(body, now) {
  const seconds = whole(body.time);
  const me = whole(body.player);
  const seats = list(body.seats).map((seat, at) => ({
    name: text(seat.name), isBot: seat.bot === true, isAwaited: seat.awaited === true, isMine: at + 1 === me,
  }));
  const state = text(body.state);
  return {
    name: text(body.name),
    ruleset: text(body.ruleset),
    title: text(body.title) || text(body.ruleset),
    version: text(body.version),
    state,
    turn: whole(body.turn),
    turnName: text(body.turnName),
    deadline: seconds && seconds < NO_DEADLINE ? now + 1000 * seconds : null,
    isComputing: seconds === 0,
    isAwaited: state === "running" && seats.some((seat) => seat.isMine && seat.isAwaited),
    isOver: state === "over",
    seats,
  };
}

const LAST = Number.MAX_SAFE_INTEGER;
const RANK = { running: 1, held: 2, paused: 2, waiting: 3, over: 4 };
const rank = (game) => (game.isAwaited ? 0 : RANK[game.state] ?? LAST);

/** Games in the order in which they want their player: those that wait for us first, the shortest time first. @param {OwnGame[]} games @returns {OwnGame[]} */
export function byUrgency(games) {
  return [...games].sort((one, other) => rank(one) - rank(other) || (one.deadline ?? LAST) - (other.deadline ?? LAST));
}

/**
 * Where the account stays logged in; `created` and `used` in milliseconds since 1970, `isHere`: by it this connection came.
 * @param {Object} body of a KeptLogins frame @returns {{id: number, label: string, created: number, used: number, isHere: boolean}[]}
 */
export function readKeptLogins(body) {
  return list(body.logins).map((one) => ({
    id: whole(one.id), label: text(one.label), created: 1000 * whole(one.created), used: 1000 * whole(one.used), isHere: one.here === true,
  }));
}

const BROWSERS = [["Edg", "Edge"], ["OPR", "Opera"], ["Firefox", "Firefox"], ["Chrome", "Chrome"], ["Safari", "Safari"]];
const SYSTEMS = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "Mac"], ["CrOS", "ChromeOS"], ["Linux", "Linux"]];

/** What people call a browser. @param {string} agent its navigator.userAgent */
export function browserName(agent) {
  const named = (names) => names.find(([word]) => agent.includes(word))?.[1];
  return [named(BROWSERS) ?? "A browser", named(SYSTEMS)].filter(Boolean).join(" on ");
}
