// Other ways in than a name and a password, for servers that have some: as a guest, and through other servers. It comes
// when the server says so.

import { becomeAccount, playAsGuest } from "../core/guests.js";
import { connectTicket, providersOf } from "../core/providers.js";
import { GUESTS, SIGN_IN } from "../core/visitor.js";
import { DoingDialog } from "./doing.js";
import { $, h, say } from "./dom.js";
import { note, sentence } from "./toasts.js";
import { isStaying, post, stayLoggedIn, staysAs } from "./staying.js";

/** How the names of guests begin, and no others. */
const GUEST = "Guest ";
const ADMITS = { "": "as usual: none, unless you are one", yes: "may join", silent: "may join, and write to nobody", no: "none" };

/** @type {BecomeDialog|null} */
let dialog = null;
let asGuest = null;
let become = null;
let hint = null;
/** The buttons of the providers; null: they are not asked for yet. @type {Promise<void>|null} */
let signIns = null;

/**
 * Show the doors that there are now. @param {Object} page `player`, `arrived(user, password)`
 * @param {import("./lobby.js").Lobby} lobby @param {number[]} features
 */
export function offer(page, lobby, features) {
  const takesGuests = features.includes(GUESTS);
  if (takesGuests && !asGuest) {
    asGuest = h("button", { type: "button", id: "as-guest", onclick: () => lobby.arriveBy(() => playAsGuest(page.player)), text: "Play as a guest" });
    $("register").after(asGuest);
    $("making-press").after(h("label", { for: "making-admits", text: "Guests" }), h("select", { id: "making-admits" }, Object.entries(ADMITS).map(([value, text]) => h("option", { value, text }))));
  }
  if (asGuest) asGuest.hidden = !takesGuests;
  if (features.includes(SIGN_IN)) signIns ??= offerProviders(page);
  offerAccount(page, lobby);
}

async function offerProviders(page) {
  try {
    const { providers } = await providersOf(page.player);
    const buttons = providers.map(({ id, name }) => h("button", { type: "button", onclick: () => signIn(id), text: `Sign in with ${name}` }));
    $("login").after(h("div", { class: "row", id: "sign-ins" }, buttons));
  } catch {
    signIns = null; // they are asked for at the next look
  }
}

async function signIn(id) {
  try {
    location.assign((await post("sign-in/begin", { provider: id })).url);
  } catch (error) {
    say($("login-problem"), sentence(error));
  }
}

/** Go to a provider, to connect the account that is logged in. Rejects with a sentence. */
export async function connect(player, id) {
  location.assign((await post("sign-in/connect", { ticket: await connectTicket(player, id) })).url);
}

/**
 * A provider has sent this browser back: what has come of it.
 * @param {Object} page @param {import("./lobby.js").Lobby} lobby
 * @returns {Promise<boolean>} whether this is where the page begins. Rejects with the server's sentence.
 */
export async function arrive(page, lobby) {
  const { state, provider, name, problem } = await post("sign-in/outcome", {});
  if (state === "failed") throw new Error(problem);
  if (state === "connected") {
    note(`${provider} logs in to your account from now on.`, "good");
    return false;
  }
  if (state === "name") {
    lobby.open();
    new NameDialog(page, lobby, provider, name);
  } else await comeIn(page, lobby);
  return true;
}

/** This browser has the cookie of an account. */
async function comeIn(page, lobby) {
  const { player } = page;
  player.disconnect(); // a connection has the cookies of its beginning
  await player.loginAccount();
  staysAs(player.user);
  page.arrived(player.user, "");
  lobby.openHome("", false);
}

/** Whoever has signed in for the first time chooses a name. */
class NameDialog extends DoingDialog {
  constructor(page, lobby, provider, proposed) {
    super();
    const name = h("input", { id: "new-name", maxlength: 32, required: true, autocomplete: "username", autocapitalize: "off", spellcheck: "false", value: proposed });
    const choose = async () => {
      await post("sign-in/name", { name: name.value.trim() });
      box.close();
      await comeIn(page, lobby).catch((error) => note(sentence(error), "bad"));
    };
    const box = h(
      "dialog",
      { id: "name-dialog", "aria-labelledby": "name-heading", onclose: () => box.remove() },
      h("h2", { id: "name-heading", text: "Your name here" }),
      h("p", { text: `${provider} has let you in. What are you to be called here?` }),
      this.problem,
      h("form", { class: "making", onsubmit: (event) => this.submit(event, choose) }, h("label", { for: "new-name", text: "Name" }), name, h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: "Come in" }), h("button", { type: "button", onclick: () => box.close(), text: "Not now" }))),
    );
    document.body.append(box);
    box.showModal();
    name.select();
  }
}

/** Whoever is logged in as a guest may become an account. */
function offerAccount(page, lobby) {
  const isGuest = page.player.user.startsWith(GUEST) && !$("account-card").hidden;
  if (isGuest && !become) {
    become = h("button", { type: "button", id: "become", class: "primary", "aria-haspopup": "dialog", onclick: () => (dialog ??= new BecomeDialog(page, lobby)).open(), text: "Keep my games" });
    hint = h("p", { class: "hint", text: "You play as a guest. Whoever logs out as a guest cannot come back: choose a name and a password to keep your games." });
    $("account-title").after(hint);
    $("account-button").before(become, " ");
  }
  if (!become) return;
  for (const element of [become, hint]) element.hidden = !isGuest;
}

class BecomeDialog extends DoingDialog {
  #page;
  #lobby;
  #fields;
  #box;

  constructor(page, lobby) {
    super();
    this.#page = page;
    this.#lobby = lobby;
    const field = (id, label, more) => [h("label", { for: id, text: label }), h("input", { id, ...more })];
    const name = field("become-name", "Name", { maxlength: 100, autocomplete: "username", required: true, autocapitalize: "off", spellcheck: "false" });
    const password = field("become-password", "Password", { type: "password", maxlength: 1024, autocomplete: "new-password", required: true });
    const again = field("become-again", "Once more", { type: "password", maxlength: 1024, autocomplete: "new-password", required: true });
    const email = field("become-email", "Mail (optional)", { type: "email", maxlength: 255, autocomplete: "email" });
    this.#fields = [name, password, again, email].map(([, input]) => input);
    this.#box = h(
      "dialog",
      { id: "become-dialog", "aria-labelledby": "become-heading" },
      h("h2", { id: "become-heading", text: "An account of your own" }),
      h("p", { text: "Your seats and games stay. You are logged out everywhere else." }),
      this.problem,
      h("form", { class: "making", onsubmit: (event) => this.submit(event, () => this.#become(event.target)) }, name, password, again, email, h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: "Make the account" }), h("button", { type: "button", onclick: () => this.#box.close(), text: "Not now" }))),
    );
    document.body.append(this.#box);
  }

  open() {
    this.clear();
    this.#box.showModal();
    this.#fields[0].focus();
  }

  async #become(form) {
    const [name, password, again, email] = this.#fields.map((input) => input.value);
    if (password !== again) throw new Error("The two passwords differ.");
    const { player } = this.#page;
    await becomeAccount(player, { name: name.trim(), password, email: email.trim() });
    this.#page.arrived(player.user, password);
    if (isStaying()) {
      await stayLoggedIn(player); // the cookie of the guest has ended
      this.#page.arrived(player.user, "");
    }
    form.reset();
    this.#box.close();
    this.#lobby.openHome();
  }
}
