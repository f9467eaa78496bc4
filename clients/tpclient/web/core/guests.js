// Guests: players without an account, who may register later.

import { text } from "./values.js";

/**
 * Come in as a guest. @param {import("./player.js").Player} player on whose connection nobody is logged in
 * @returns {Promise<{user: string, password: string}>} what logs the guest in from now on. Rejects with the Refusal.
 */
export async function playAsGuest(player) {
  await player.connect();
  const { name, secret } = await player.requests.playAsGuest();
  player.disconnect(); // that connection is the guest's already; the player logs in by itself
  return { user: text(name), password: text(secret) };
}

/**
 * Make an account of the guest who is logged in. @param {import("./player.js").Player} player
 * @param {{name: string, password: string, email?: string}} account
 * @returns {Promise<string>} its name. Rejects with the Refusal.
 */
export async function becomeAccount(player, { name, password, email = "" }) {
  const told = await player.requests.becomeAccount({ username: name, password, email });
  player.became(text(told.name), password);
  return player.user;
}
