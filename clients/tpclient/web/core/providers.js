// Other servers that log in to accounts, by OpenID Connect.

import { list, text } from "./values.js";

/** `isConnected`: it logs in to the account that is logged in. @typedef {{id: string, name: string, makesAccounts: boolean, isConnected: boolean}} Provider */

/** @param {import("./visitor.js").Visitor} visitor @returns {Promise<{providers: Provider[], hasPassword: boolean}>} */
export async function providersOf(visitor) {
  await visitor.connect();
  const told = await visitor.askOne("getProviders", {}, "providers");
  return {
    providers: list(told.providers).map((one) => ({ id: text(one.id), name: text(one.name), makesAccounts: one.makesAccounts === true, isConnected: one.connected === true })),
    hasPassword: told.hasPassword === true,
  };
}

/** A ticket with which this browser connects the account. @param {import("./player.js").Player} player @param {string} id of a provider @returns {Promise<string>} */
export async function connectTicket(player, id) {
  return text((await player.askOne("connectProvider", { provider: id }, "ticket")).ticket);
}

/** Let a provider log in to the account no more. @param {import("./player.js").Player} player @param {string} id @returns {Promise<string>} the server's words */
export async function disconnectProvider(player, id) {
  return text((await player.askOne("disconnectProvider", { provider: id }, "okay")).result);
}
