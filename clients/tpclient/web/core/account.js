// An account: the tokens by which its bots and scripts log in.

import { list, text, whole } from "./values.js";

/**
 * `game` is the only game that it is good for, "": all; `ends` and `used` are in milliseconds, `used` 0: never; `secret` is
 * the token itself, told once, when it is made.
 * @typedef {{id: number, label: string, game: string, isReadOnly: boolean, ends: number, used: number, secret: string}} Token
 */

/** @param {Object} body of a Token @returns {Token} */
function readToken(body) {
  return {
    id: whole(body.id), label: text(body.label), game: text(body.game), isReadOnly: body.readOnly === true, ends: 1000 * whole(body.ends), used: 1000 * whole(body.used),
    secret: text(body.secret),
  };
}

/** The tokens of an account, the newest first. @param {import("./player.js").Player} player @returns {Promise<Token[]>} */
export async function tokensOf(player) {
  return list((await player.requests.getTokens()).tokens).map(readToken);
}

/**
 * Make a token. @param {import("./player.js").Player} player
 * @param {{label: string, game?: string, isReadOnly?: boolean, days?: number, password?: string}} wanted `game` is the only one that it is for, "": all
 * @returns {Promise<Token>} with its secret
 */
export async function createToken(player, wanted) {
  const { label, game = "", isReadOnly = false, days = 90, password = "" } = wanted;
  return readToken(await player.requests.createToken({ label, game, readOnly: isReadOnly, days, password }));
}

/** Let nobody in by a token any more. @param {import("./player.js").Player} player @param {number} id of a token @returns {Promise<string>} the server's words */
export async function revokeToken(player, id) {
  return player.requests.revokeToken({ id });
}

/**
 * The account itself: `role` is "player", "moderator", "operator" or "bot"; `operations` are what `administer` does for it.
 * `emailResets`: a forgotten password may be reset by `email`.
 * @param {import("./player.js").Player} player
 * @returns {Promise<{name: string, role: string, operations: string[], email: string, emailResets: boolean}>}
 */
export async function ownAccount(player) {
  const { name, role, operations, email, emailResets } = await player.requests.getOwnAccount();
  return { name: text(name), role: text(role), operations: list(operations).map(text), email: text(email), emailResets: emailResets === true };
}

/**
 * Do what the operator does. @param {import("./player.js").Player} player
 * @param {string} operation one of those of `ownAccount` @param {Object<string, string>} args by name
 * @returns {Promise<string[]>} the lines that the server prints
 */
export async function administer(player, operation, args) {
  const given = Object.entries(args).map(([name, value]) => ({ name, value }));
  return list((await player.requests.administer({ operation, arguments: given })).lines).map(text);
}

/**
 * Accounts, the oldest first, in parts: if `following` is not 0, there are more. @param {import("./player.js").Player} player
 * @param {string} search a part of the name, "": all @param {number} start 0, or `following` of the part before
 * @returns {Promise<{accounts: {name: string, role: string, state: string, reason: string, isOnline: boolean}[], following: number}>}
 */
export async function accountsOf(player, search, start) {
  const told = await player.requests.getAccounts({ search, start });
  return {
    accounts: list(told.accounts).map((one) => ({ name: text(one.name), role: text(one.role), state: text(one.state), reason: text(one.reason), isOnline: one.online === true })),
    following: whole(told.following),
  };
}
