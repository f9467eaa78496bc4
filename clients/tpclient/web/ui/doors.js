// Other ways in than a name and a password, for servers that have some: as a guest. It comes when the server says so.

import { becomeAccount, playAsGuest } from "../core/guests.js";
import { GUESTS } from "../core/visitor.js";
import { $, h, say } from "./dom.js";
import { sentence } from "./notices.js";
import { isStaying, stayLoggedIn } from "./staying.js";

/** How the names of guests begin, and no others. */
const GUEST = "Guest ";
const ADMITS = { "": "as usual: none, unless you are one", yes: "may join", silent: "may join, and write to nobody", no: "none" };

/** @type {BecomeDialog|null} */
let dialog = null;
let asGuest = null;
let become = null;
let hint = null;

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
  offerAccount(page, lobby);
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

class BecomeDialog {
  #page;
  #lobby;
  #busy = false;
  #problem = h("p", { class: "problem", role: "alert" });
  #fields;
  #box;

  constructor(page, lobby) {
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
      this.#problem,
      h("form", { class: "making", onsubmit: (event) => this.#submit(event) }, name, password, again, email, h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: "Make the account" }), h("button", { type: "button", onclick: () => this.#box.close(), text: "Not now" }))),
    );
    document.body.append(this.#box);
  }

  open() {
    say(this.#problem, "");
    this.#box.showModal();
    this.#fields[0].focus();
  }

  async #submit(event) {
    event.preventDefault();
    if (this.#busy) return;
    this.#busy = true;
    say(this.#problem, "");
    const [name, password, again, email] = this.#fields.map((input) => input.value);
    try {
      if (password !== again) throw new Error("The two passwords differ.");
      const { player } = this.#page;
      await becomeAccount(player, { name: name.trim(), password, email: email.trim() });
      this.#page.arrived(player.user, password);
      if (isStaying()) {
        await stayLoggedIn(player); // the cookie of the guest has ended
        this.#page.arrived(player.user, "");
      }
      event.target.reset();
      this.#box.close();
      this.#lobby.openHome();
    } catch (error) {
      say(this.#problem, sentence(error));
    } finally {
      this.#busy = false;
    }
  }
}
