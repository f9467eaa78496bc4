// Part of the dialog "Notices": whether this browser shows notices. Loaded as the dialog is opened, where the server has them.

import { $, h, say, show } from "./dom.js";
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
    h("h3", { id: "notices-push-title", text: "In this browser" }),
    h("p", { class: "hint", text: wordsOf(isAble, mine) }),
    problem,
    isAble && !mine && h("div", { class: "row" }, h("button", { type: "button", onclick: act(() => subscribe(player)), text: "Tell me in this browser" })),
    Boolean(mine) && h("div", { class: "row" }, h("button", { type: "button", onclick: act(() => stop(player, mine)), text: "Tell me here no more" })),
  ]);
}

function wordsOf(isAble, mine) {
  if (!isAble) return "This browser cannot show notices, or only for pages with https.";
  if (!mine) return "This browser can show notices, also while the page is closed.";
  return mine.state === "verified" ? "This browser shows notices, also while the page is closed." : "This browser waits for its code: it came as a notice.";
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
  if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser was not allowed to show notices of this page.");
  const { key } = await player.askOne("getPushKey", {}, "pushKey");
  const registration = await navigator.serviceWorker.register("push.js");
  await navigator.serviceWorker.ready;
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  const { endpoint, keys } = made.toJSON();
  const code = comingCode();
  const added = await player.addNoticeAddress("push", endpoint, `${keys.p256dh}.${keys.auth}`);
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
