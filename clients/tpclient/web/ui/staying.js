// Staying logged in by a cookie that scripts cannot read.
// The page remembers that the browser has the cookie, and for which account.

import { browserName } from "../core/home.js";
import { WORDS } from "../words.js";
import { hold } from "./guard.js";
import { keep, recalled } from "./memory.js";

const STAYS = "tpclient-stays";
/** Whether it is still to be logged out at the server. */
const LEAVES = "tpclient-leaves";

/** The cookies that are on their way. */
const coming = new Set();

/** Whether this browser should have a cookie that logs it in. */
export const isStaying = () => recalled(STAYS) !== "";

/** The cookie is good for nothing any more. */
export const stayNoMore = () => keep(STAYS, "");

/** This browser has got a cookie for an account. @param {string} user */
export function staysAs(user) {
  keep(STAYS, user);
  keep(LEAVES, "");
}

/** POST JSON to the server of this page. @returns {Promise<Object>} its JSON; rejects with the server's sentence */
export function post(path, body) {
  const answer = send(path, body);
  hold(answer);
  return answer;
}

async function send(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => {
    throw new Error(WORDS.errors.away);
  });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error || WORDS.errors.status({ status: answer.status }));
  return told;
}

/**
 * Let this browser stay logged in as the player of a connection that is.
 * @param {import("../core/player.js").Player} player
 * @returns {Promise<boolean>} whether it does; not where it takes no cookies. Rejects with a sentence.
 */
export async function stayLoggedIn(player) {
  if (!navigator.cookieEnabled) return false;
  const cookie = getCookie(player);
  coming.add(cookie);
  await cookie.finally(() => coming.delete(cookie));
  return true;
}

async function getCookie(player) {
  keep(LEAVES, ""); // a cookie that was to be given back is replaced
  const ticket = await player.keepLogin(browserName(navigator.userAgent));
  await post("login", { ticket });
  player.stays();
  if (!recalled(LEAVES)) staysAs(player.user);
}

/** End that, on the server as well; does nothing if it does not stay. Rejects with a sentence: then `finishLogOut` is to do it. */
export async function logOut() {
  if (isStaying() || coming.size) keep(LEAVES, "yes");
  stayNoMore();
  await Promise.allSettled(coming); // what has not come yet would stay
  await finishLogOut();
}

/** Log this browser out at the server, if that is still to be done. Rejects with a sentence. */
export async function finishLogOut() {
  if (!recalled(LEAVES)) return;
  stayNoMore();
  await post("logout", {});
  keep(LEAVES, "");
}
