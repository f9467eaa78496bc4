// Other ways to log in: as a guest, and through other servers.
// Loaded if the server offers any.

import { becomeAccount, playAsGuest } from "../core/guests.js";
import { readLogin } from "../core/lobby.js";
import { connectTicket, providersOf } from "../core/providers.js";
import { GUESTS, SIGN_IN } from "../core/visitor.js";
import { WORDS } from "../words.js";
import { DoingDialog } from "./doing.js";
import { $, h, say } from "./dom.js";
import { withProof } from "./proof.js";
import { note, sentence } from "./toasts.js";
import { isStaying, post, stayLoggedIn, staysAs } from "./staying.js";

/** How the names of guests begin, and no others. */
const GUEST = "Guest ";
const ADMITS = WORDS.guests.admits;

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
    asGuest = h("button", { type: "button", id: "as-guest", onclick: () => lobby.arriveBy(() => playAsGuest(page.player)), text: WORDS.guests.play });
    $("register").after(asGuest);
    $("making-press").after(h("label", { for: "making-admits", text: WORDS.guests.title }), h("select", { id: "making-admits" }, Object.entries(ADMITS).map(([value, text]) => h("option", { value, text }))));
  }
  if (asGuest) asGuest.hidden = !takesGuests;
  if (features.includes(SIGN_IN)) signIns ??= offerProviders(page);
  offerAccount(page, lobby);
}

async function offerProviders(page) {
  try {
    const { providers } = await providersOf(page.player);
    const buttons = providers.map(({ id, name }) => h("button", { type: "button", onclick: () => signIn(id), text: WORDS.signIn.signInWith({ provider: name }) }));
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
  const ticket = await withProof(player, (password) => connectTicket(player, id, password));
  location.assign((await post("sign-in/connect", { ticket })).url);
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
    note(WORDS.signIn.connected({ provider }), "good");
    return false;
  }
  if (state === "name") {
    lobby.open();
    new NameDialog(page, lobby, provider, name);
  } else await comeIn(page, lobby);
  return true;
}

/** What was typed as a new name, which may name a game, too: see readLogin. What is neither the server refuses. */
const readName = (typed) => readLogin(typed) ?? { user: typed.trim(), game: "" };

/** This browser has the cookie of an account. @param {Object} [named] what was typed as its name, as read */
async function comeIn(page, lobby, named) {
  const { player } = page;
  player.disconnect(); // a connection has the cookies of its beginning
  await player.loginAccount();
  staysAs(player.user);
  page.arrived(player.user, "");
  if (named?.game) await lobby.goOn(named);
  else lobby.openHome("", false);
}

/** Whoever has signed in for the first time chooses a name. */
class NameDialog extends DoingDialog {
  constructor(page, lobby, provider, proposed) {
    super();
    const name = h("input", { id: "new-name", maxlength: 100, required: true, autocomplete: "username", autocapitalize: "off", spellcheck: "false", value: proposed });
    const choose = async () => {
      const named = readName(name.value);
      await post("sign-in/name", { name: named.user });
      box.close();
      await comeIn(page, lobby, named).catch((error) => note(sentence(error), "bad"));
    };
    const box = h(
      "dialog",
      { id: "name-dialog", "aria-labelledby": "name-heading", onclose: () => box.remove() },
      h("h2", { id: "name-heading", text: WORDS.signIn.title }),
      h("p", { text: WORDS.signIn.chooseName({ provider }) }),
      this.problem,
      h("form", { class: "making", onsubmit: (event) => this.submit(event, choose) }, h("label", { for: "new-name", text: WORDS.common.name }), name, h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: WORDS.guests.createAccount }), h("button", { type: "button", onclick: () => box.close(), text: WORDS.common.notNow }))),
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
    become = h("button", { type: "button", id: "become", class: "primary", "aria-haspopup": "dialog", onclick: () => (dialog ??= new BecomeDialog(page, lobby)).open(), text: WORDS.guests.keepGames });
    hint = h("p", { class: "hint", text: WORDS.guests.about });
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
    const name = field("become-name", WORDS.common.name, { maxlength: 100, autocomplete: "username", required: true, autocapitalize: "off", spellcheck: "false" });
    const password = field("become-password", WORDS.common.password, { type: "password", maxlength: 1024, autocomplete: "new-password", required: true });
    const again = field("become-again", WORDS.common.onceMore, { type: "password", maxlength: 1024, autocomplete: "new-password", required: true });
    const email = field("become-email", WORDS.guests.mail, { type: "email", maxlength: 255, autocomplete: "email" });
    this.#fields = [name, password, again, email].map(([, input]) => input);
    this.#box = h(
      "dialog",
      { id: "become-dialog", "aria-labelledby": "become-heading" },
      h("h2", { id: "become-heading", text: WORDS.guests.becomeTitle }),
      h("p", { text: WORDS.guests.becomeAbout }),
      this.problem,
      h("form", { class: "making", onsubmit: (event) => this.submit(event, () => this.#become(event.target)) }, name, password, again, email, h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: WORDS.guests.createAccount }), h("button", { type: "button", onclick: () => this.#box.close(), text: WORDS.common.notNow }))),
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
    if (password !== again) throw new Error(WORDS.guests.passwordsDiffer);
    const { player } = this.#page;
    const named = readName(name);
    await becomeAccount(player, { name: named.user, password, email: email.trim() });
    this.#page.arrived(player.user, password);
    if (isStaying()) {
      await stayLoggedIn(player); // the cookie of the guest has ended
      this.#page.arrived(player.user, "");
    }
    form.reset();
    this.#box.close();
    await this.#lobby.goOn(named);
  }
}
