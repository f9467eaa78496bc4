// Staying logged in: the browser has a cookie that no script can read, and remembers that it has one, and whose.

import { browserName } from "../core/home.js";
import { keep, recalled } from "./memory.js";

const STAYS = "tpclient-stays";

/** Whether this browser should have a cookie that logs it in. */
export const isStaying = () => recalled(STAYS) !== "";

/** The cookie is good for nothing any more. */
export const stayNoMore = () => keep(STAYS, "");

/** This browser has got a cookie for an account. @param {string} user */
export const staysAs = (user) => keep(STAYS, user);

/** POST JSON to the server of this page. @returns {Promise<Object>} its JSON; rejects with the server's sentence */
export async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => {
    throw new Error("The server is away, so this cannot be done now.");
  });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error || `The server did not do this (${answer.status}).`);
  return told;
}

/**
 * Let this browser stay logged in as the player of a connection that is.
 * @param {import("../core/player.js").Player} player
 * @returns {Promise<boolean>} whether it does; not where it takes no cookies. Rejects with a sentence.
 */
export async function stayLoggedIn(player) {
  if (!navigator.cookieEnabled) return false;
  const ticket = await player.keepLogin(browserName(navigator.userAgent));
  await post("login", { ticket });
  player.stays();
  staysAs(player.user);
  return true;
}

/** End that, on the server as well; does nothing if it does not stay. */
export async function logOut() {
  if (!isStaying()) return;
  stayNoMore();
  await post("logout", {});
}
