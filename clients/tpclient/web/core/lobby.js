// The games of a server, from its Game frames.

import { plainCode, plainText } from "./typed.js";
import { list, text, whole } from "./values.js";

/** What follows a game's name at login to watch it without a seat. No game's own name has a slash. */
export const WATCH = "/watch";
/** What follows it to look at an old turn, before the number of the turn. */
export const TURN = "/turn/";

const AIM = /^([^/]*)(?:(\/watch)|\/turn\/(\d{1,9}))?$/;

/**
 * What somebody types to log in: NAME, NAME@GAME, NAME@GAME/watch or NAME@GAME/turn/N.
 * @param {string} typed
 * @returns {{user: string, game: string, isWatching: boolean, turn: number|null}|null} `game` is "" where none is named; null if it is none of these
 */
export function readLogin(typed) {
  const [name, ...more] = typed.split(/[@＠]/);
  const [user, aim] = [plainText(name), AIM.exec(plainCode(more.join("@")))];
  if (!user || !aim) return null;
  const [, game, watch, turn] = aim;
  return { user, game: game.trim(), isWatching: Boolean(watch), turn: turn === undefined ? null : Number(turn) };
}

/** What the parameters of a Game frame mean (TP04, Game). */
const PARAMETER = { PLAYERS: 1, CONNECTED: 2, OBJECTS: 3, ADMIN: 4, COMMENT: 5, NEXT_TURN: 6, LONG_NAME: 7, TURN: 9, PAUSE: 10 };

/**
 * One game; null is what the server does not tell. `name` is what is logged in to, `title` the long name, `players` how
 * many seats are taken, `connected` how many connections play it now, `deadline` in milliseconds since 1970, `pause`
 * seconds between turns, `created` unix seconds. `comment` is for people; `notes` are its parts between semicolons,
 * the first of which says how the game stands ("running"). `isClosed`: for invited players only, also to watch.
 * @typedef {{name: string, title: string, ruleset: string, version: string, server: string, turn: number|null,
 *   players: number|null, connected: number|null, objects: number|null, admin: string, comment: string,
 *   notes: string[], isOver: boolean, isClosed: boolean, deadline: number|null, pause: number|null, created: number}} Listing
 */

/** @param {Object} body of a Game frame @returns {Listing} */
export function readGame(body) {
  const parameters = new Map(list(body.parameters).map((one) => [whole(one.id), one]));
  const number = (id) => (parameters.has(id) ? whole(parameters.get(id).intValue) : null);
  const words = (id) => text(parameters.get(id)?.stringValue);
  const next = number(PARAMETER.NEXT_TURN);
  const comment = words(PARAMETER.COMMENT);
  const notes = comment.split(";").map((part) => part.trim()).filter(Boolean);
  return {
    name: text(body.name),
    title: words(PARAMETER.LONG_NAME) || text(body.name),
    ruleset: text(body.rule),
    version: text(body.ruleVersion),
    server: `${text(body.serverType)} ${text(body.server)}`.trim(),
    turn: number(PARAMETER.TURN),
    players: number(PARAMETER.PLAYERS),
    connected: number(PARAMETER.CONNECTED),
    objects: number(PARAMETER.OBJECTS),
    admin: words(PARAMETER.ADMIN),
    comment,
    notes,
    isOver: notes[0] === "over",
    isClosed: notes.includes("for invited players only"),
    deadline: next === null ? null : 1000 * next,
    pause: number(PARAMETER.PAUSE),
    created: whole(body.created),
  };
}

/**
 * Whether a server still has the games seen before; if not, it is another one, or another game of that name.
 * @param {Listing[]} before @param {Listing[]} now @param {string} name the game that is played, "" if none was named
 */
export function areSame(before, now, name) {
  const meant = name ? before.filter((game) => game.name === name) : before;
  return meant.every((game) => now.some((other) => ["name", "ruleset", "created"].every((key) => other[key] === game[key])));
}
