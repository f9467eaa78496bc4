// The games of an account, from MyGames, and its logins.

import { codeInAddress, plainText } from "./typed.js";
import { list, text, whole } from "./values.js";

/** The time of a turn without a deadline (TP04, TimeRemaining). */
const NO_DEADLINE = 2147483647;

/**
 * One game in which the account has a seat. `state` is "waiting", "running", "paused", "held" or "over"; `deadline` is in
 * milliseconds since 1970, null: none; `isComputing`: its turn is; `isMine` of a seat: ours; `isAwaited`: the turn waits
 * for us; `isInvited`: for invited players; `isMade`: by the account; `newTurns` have begun and `newLetters` have come since
 * the account last looked, before this connection came if it is in that game; 0 where the server does not tell.
 * @typedef {{name: string, ruleset: string, title: string, version: string, state: string, turn: number, turnName: string,
 *   deadline: number|null, isComputing: boolean, isAwaited: boolean, isOver: boolean, isInvited: boolean, isMade: boolean,
 *   newTurns: number, newLetters: number,
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
    isInvited: body.invited === true,
    isMade: body.made === true,
    newTurns: whole(body.newTurns),
    newLetters: whole(body.newLetters),
    seats,
  };
}

/**
 * What a game can be made of. An option's `kind` is "integer", "integers", "flag", "word" or "text"; `value` its default, as
 * it would be typed, "" if it is not told; `limits` says for people what is allowed.
 * @typedef {{name: string, help: string, limits: string, kind: string, value: string, low: number, high: number, words: string[]}} Option
 * @param {Object} body of a Ruleset frame
 * @returns {{name: string, title: string, version: string, goal: string, seats: number[], options: Option[]}}
 */
export function readRuleset(body) {
  return {
    name: text(body.name),
    title: text(body.title) || text(body.name),
    version: text(body.version),
    goal: text(body.goal),
    seats: list(body.seats).map(whole),
    options: list(body.options).map((one) => ({
      name: text(one.name), help: text(one.help), limits: text(one.limits), kind: text(one.kind), value: text(one.value),
      low: whole(one.low), high: whole(one.high), words: list(one.words).map(text),
    })),
  };
}

/**
 * What a game was made with. `value` of an option as it would be typed, "" if it cannot be; `isChanged`: from the default;
 * `press`: "private", "public" (letters to everybody only) or "none"; `guests`: "yes", "silent" or "no"; `isAnonymous`: the end tells who plays.
 * @typedef {{game: string, ruleset: string, title: string, seats: number, bots: number, clock: string, isInvited: boolean, press: string, guests: string, watch: string, isAnonymous: boolean,
 *   options: {name: string, help: string, value: string, isChanged: boolean}[]}} Setup
 * @param {Object} body of a GameSetup frame @returns {Setup}
 */
export function readSetup(body) {
  return {
    game: text(body.game),
    ruleset: text(body.ruleset),
    title: text(body.title) || text(body.ruleset),
    seats: whole(body.seats),
    bots: whole(body.bots),
    clock: text(body.clock),
    isInvited: body.invited === true,
    press: text(body.press) || "private",
    guests: text(body.guests) || "no",
    watch: body.unwatched ? "closed" : String(whole(body.watchDelay)),
    isAnonymous: body.anonymous === true,
    options: list(body.options).map((one) => ({ name: text(one.name), help: text(one.help), value: text(one.value), isChanged: one.changed === true })),
  };
}

/** The options that differ from their defaults, as CreateGame has them. @param {Option[]} options @param {Map<string, string>} values as typed */
export function changedOptions(options, values) {
  const changed = options.filter(({ name, value }) => values.has(name) && values.get(name) !== value);
  return changed.map(({ name }) => ({ name, value: values.get(name) }));
}

/** A name for a new game that no game has. @param {string} ruleset @param {{name: string}[]} games */
export function freeName(ruleset, games) {
  const taken = new Set(games.map(({ name }) => name.toLowerCase()));
  const words = ruleset.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "game";
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? words : `${words}-${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** An invitation in the address of a page, "#invite=GAME/WORD". @param {string} hash @returns {{game: string, word: string}|null} */
export function readInvitation(hash) {
  const [, game, code] = /^#invite=([^/]+)\/([^/]+)$/.exec(hash) ?? [];
  try {
    const word = code ? codeInAddress(code) : "";
    return word ? { game: decodeURIComponent(game), word } : null;
  } catch {
    return null; // what is no address at all
  }
}

/** An invitation in a text, by an address of this page only. @param {string} words @param {string} page its address @returns {{game: string, word: string}|null} */
export function invitationIn(words, page) {
  const [start] = page.split("#", 1);
  const those = plainText(words).split(/\s+/).map((word) => word.replace(/^[("'<«“„[]+/, ""));
  const found = those.find((word) => word.startsWith(`${start}#invite=`));
  return found ? readInvitation(found.slice(start.length)) : null;
}

/** The address that leads into a game. @param {string} page its address @param {string} game @param {string} word */
export const invitationLink = (page, game, word) => `${page.split("#", 1)[0]}#invite=${encodeURIComponent(game)}/${word}`;

const LAST = Number.MAX_SAFE_INTEGER;
const RANK = { running: 1, held: 2, paused: 2, waiting: 3, over: 4 };
const rank = (game) => (game.isAwaited ? 0 : RANK[game.state] ?? LAST);

/** Those that wait for us first, the shortest time first. @param {OwnGame[]} games @returns {OwnGame[]} */
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
