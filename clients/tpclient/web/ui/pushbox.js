// Part of the dialog "Notices": notifications in this browser.
// Loaded when the dialog is opened, if the server can send them.

import { WORDS } from "../words.js";
import { $, h, say, show } from "./dom.js";
import { withProof } from "./proof.js";
import { sentence } from "./toasts.js";

const CODE_MILLISECONDS = 60_000;

/**
 * Show whether this browser is told, and what can be done about it.
 * @param {import("../core/player.js").Player} player @param {() => Promise<void>} changed is called when addresses have changed
 */
export async function showPush(player, changed) {
  let box = $("notices-push");
  if (!box) {
    box = h("section", { id: "notices-push", "aria-labelledby": "notices-push-title" });
    $("notices-all").prepend(box);
  }
  const isAble = "serviceWorker" in navigator && "PushManager" in self && "Notification" in self;
  const mine = isAble ? await addressOf(player) : null;
  const problem = h("p", { class: "problem" });
  const act = (call) => async (event) => {
    event.target.disabled = true;
    try {
      await call();
      await changed();
      await showPush(player, changed);
      box.querySelector("button")?.focus();
    } catch (error) {
      problem.setAttribute("role", "alert");
      say(problem, sentence(error));
      event.target.disabled = false;
    }
  };
  show(box, [
    h("h3", { id: "notices-push-title", text: WORDS.push.title }),
    h("p", { class: "hint", text: wordsOf(isAble, mine) }),
    problem,
    isAble && !mine && h("div", { class: "row" }, h("button", { type: "button", onclick: act(() => subscribe(player)), text: WORDS.push.subscribe })),
    Boolean(mine) && h("div", { class: "row" }, h("button", { type: "button", onclick: act(() => stop(player, mine)), text: WORDS.push.stop })),
  ]);
}

function wordsOf(isAble, mine) {
  if (!isAble) return WORDS.push.unable;
  if (!mine) return WORDS.push.able;
  return mine.state === "verified" ? WORDS.push.on : WORDS.push.waits;
}

/** The account's address that is this browser's, null: there is none. */
async function addressOf(player) {
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return null;
  const { addresses } = await player.notices();
  return addresses.find(({ kind, target }) => kind === "push" && target === subscription.endpoint) ?? null;
}

async function subscribe(player) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(WORDS.push.forbidden);
  const { key } = await player.requests.getPushKey();
  const registration = await navigator.serviceWorker.register("push.js");
  await navigator.serviceWorker.ready;
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  const { endpoint, keys } = made.toJSON();
  const code = comingCode();
  const added = await withProof(player, (password) => player.addNoticeAddress("push", endpoint, `${keys.p256dh}.${keys.auth}`, { password }));
  const came = await code;
  if (came) await player.verifyNoticeAddress(added.id, came);
}

async function stop(player, { id }) {
  await player.removeNoticeAddress(id);
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** The code that shows that the browser gets what is sent to it; "" if none comes in time: then it can be typed. */
function comingCode() {
  return new Promise((resolve) => {
    const done = (code) => {
      navigator.serviceWorker.removeEventListener("message", hear);
      clearTimeout(late);
      resolve(code);
    };
    const hear = ({ data }) => {
      if (typeof data?.code === "string") done(data.code);
    };
    const late = setTimeout(() => done(""), CODE_MILLISECONDS);
    navigator.serviceWorker.addEventListener("message", hear);
    navigator.serviceWorker.startMessages();
  });
}

function bytesOf(base64url) {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
