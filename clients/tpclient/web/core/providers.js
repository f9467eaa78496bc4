// OpenID Connect providers: other servers that log in to accounts.

import { list, text } from "./values.js";

/** `isConnected`: it logs in to the account that is logged in. @typedef {{id: string, name: string, makesAccounts: boolean, isConnected: boolean}} Provider */

/** @param {import("./visitor.js").Visitor} visitor @returns {Promise<{providers: Provider[], hasPassword: boolean}>} */
export async function providersOf(visitor) {
  await visitor.connect();
  const told = await visitor.requests.getProviders();
  return {
    providers: list(told.providers).map((one) => ({ id: text(one.id), name: text(one.name), makesAccounts: one.makesAccounts === true, isConnected: one.connected === true })),
    hasPassword: told.hasPassword === true,
  };
}

/** A ticket with which this browser connects the account. @param {import("./player.js").Player} player @param {string} id of a provider @param {string} password of the account, where the server wants it @returns {Promise<string>} */
export async function connectTicket(player, id, password = "") {
  return text((await player.requests.connectProvider({ provider: id, password })).ticket);
}

/** Let a provider log in to the account no more. @param {import("./player.js").Player} player @param {string} id @returns {Promise<string>} the server's words */
export async function disconnectProvider(player, id) {
  return player.requests.disconnectProvider({ provider: id });
}
