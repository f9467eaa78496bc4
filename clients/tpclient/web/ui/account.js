// The dialog "Account": another password, and the tokens by which bots and scripts log in. It comes when it is opened first.

import { createToken, ownAccount, revokeToken, tokensOf } from "../core/account.js";
import { disconnectProvider, providersOf } from "../core/providers.js";
import { DoingDialog } from "./doing.js";
import { h, say, show } from "./dom.js";
import { isStaying, stayLoggedIn } from "./staying.js";
import { sentence } from "./toasts.js";

const day = (time) => new Date(time).toLocaleDateString([], { dateStyle: "medium" });

/** @type {AccountDialog|null} */
let dialog = null;

/** Show the dialog. @param {Object} page `player` @returns {Promise<void>} rejects with the server's sentence */
export async function openAccount(page) {
  dialog ??= new AccountDialog(page);
  await dialog.open();
}

/** A field with its label, for a form of class "making". */
function field(id, label, properties = {}, tag = "input", ...children) {
  return [h("label", { for: id, text: label }), h(tag, { id, ...properties }, ...children)];
}

class AccountDialog extends DoingDialog {
  #page;
  #secret = h("p", { hidden: true });
  #tokens = h("ul", { id: "account-tokens" });
  #games = h("select", { id: "token-game" });
  #admin = h("button", { type: "button", "aria-haspopup": "dialog", hidden: true, onclick: () => this.#openAdmin(), text: "Administration" });
  /** What the account may do for the operator. @type {string[]} */
  #operations = [];
  #providers = h("ul", { id: "account-providers" });
  #signIn = h("h3", { text: "Sign in with" });
  #old;
  #box;

  constructor(page) {
    super();
    this.#page = page;
    const password = (id, label, autocomplete) => field(id, label, { type: "password", maxlength: 1024, autocomplete, required: true });
    this.#old = password("password-old", "Old", "current-password");
    this.#box = h(
      "dialog",
      { id: "account", "aria-labelledby": "account-heading" },
      h("header", {}, h("h2", { id: "account-heading", text: "Account" }), h("form", { method: "dialog" }, h("button", { class: "primary", text: "Close" }))),
      this.problem,
      this.news,
      this.#admin,
      h("h3", { text: "Password" }),
      h(
        "form",
        { class: "making", onsubmit: (event) => this.submit(event, () => this.#changePassword(event.target)) },
        this.#old,
        password("password-new", "New", "new-password"),
        password("password-again", "Once more", "new-password"),
        h("p", { class: "hint", text: "You are logged out everywhere else, and all tokens end." }),
        h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: "Change" })),
      ),
      this.#signIn,
      this.#providers,
      h("h3", { text: "Tokens" }),
      h("p", { class: "hint", text: "A token stands in the place of your password, for bots, scripts and old programs. Give them no password." }),
      this.#secret,
      this.#tokens,
      h(
        "form",
        { class: "making", onsubmit: (event) => this.submit(event, () => this.#createToken(event.target)) },
        field("token-label", "For", { maxlength: 100, autocomplete: "off", placeholder: "my bot", required: true }),
        h("label", { for: "token-game", text: "In" }),
        this.#games,
        field("token-days", "Days", { type: "number", min: 1, max: 366, value: 90, required: true }),
        field("token-read-only", "To look only", { type: "checkbox" }),
        h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: "Make a token" })),
      ),
    );
    document.head.append(h("link", { rel: "stylesheet", href: "account.css" }));
    document.body.append(this.#box);
  }

  async open() {
    this.clear();
    const { player } = this.#page;
    const [tokens, games, { operations }] = await Promise.all([tokensOf(player), player.ownGames(), ownAccount(player)]);
    await this.#drawProviders();
    this.#draw(tokens);
    this.#operations = operations;
    this.#admin.hidden = !operations.length;
    show(this.#games, h("option", { value: "", text: "all my games" }), games.map(({ name }) => h("option", { value: name, text: name })));
    this.#box.showModal();
  }

  async #openAdmin() {
    try {
      const { openAdmin } = await import("./admin.js");
      await openAdmin(this.#page, this.#operations);
      this.#box.close();
    } catch (error) {
      say(this.problem, sentence(error));
    }
  }

  clear() {
    super.clear();
    this.#secret.hidden = true;
  }

  /** Show how things are then, too. */
  async came(words) {
    this.#draw(await tokensOf(this.#page.player));
    await this.#drawProviders();
    await super.came(words);
  }

  async #changePassword(form) {
    const [old, password, again] = form.querySelectorAll("input");
    if (password.value !== again.value) throw new Error("The two new passwords differ.");
    const { player } = this.#page;
    const words = await player.changePassword(old.value, password.value);
    form.reset();
    if (isStaying()) await stayLoggedIn(player); // the cookie that this browser had has ended with the old password
    return words;
  }

  async #createToken(form) {
    const [label, game, days, readOnly] = form.querySelectorAll("input, select");
    const token = await createToken(this.#page.player, { label: label.value.trim(), game: game.value, isReadOnly: readOnly.checked, days: Math.floor(Number(days.value)) || 0 });
    form.reset();
    show(this.#secret, "This is the token, shown this once: ", h("output", { text: token.secret }));
    this.#secret.hidden = false;
    return "Made. Keep it where nobody else reads it.";
  }

  /** Which other servers log in to the account; without a password there is no old one to type. */
  async #drawProviders() {
    const { player } = this.#page;
    const { providers, hasPassword } = await providersOf(player);
    for (const element of this.#old) element.hidden = !hasPassword;
    this.#old[1].required = hasPassword;
    for (const element of [this.#signIn, this.#providers]) element.hidden = !providers.length;
    show(
      this.#providers,
      providers.map(({ id, name, isConnected }) => h(
        "li",
        {},
        h("span", {}, h("strong", { text: name }), isConnected ? ": logs in to this account" : ": not connected"),
        h("div", { class: "row" }, h("button", { type: "button", "aria-label": `${isConnected ? "Disconnect" : "Connect"} ${name}`, onclick: () => this.do(() => (isConnected ? disconnectProvider(player, id) : this.#connect(id))), text: isConnected ? "Disconnect" : "Connect" })),
      )),
    );
  }

  async #connect(id) {
    const { connect } = await import("./doors.js");
    await connect(this.#page.player, id);
    return "On the way there.";
  }

  #draw(tokens) {
    const { player } = this.#page;
    show(
      this.#tokens,
      tokens.map(({ id, label, game, isReadOnly, ends, used }) => h(
        "li",
        {},
        h("span", {}, h("strong", { text: label }), `: ${game || "all my games"}${isReadOnly ? ", to look only" : ""}, until ${day(ends)}; `, used ? `last used ${day(used)}` : "never used"),
        h("div", { class: "row" }, h("button", { type: "button", "aria-label": `Revoke ${label}`, onclick: () => this.do(() => revokeToken(player, id)), text: "Revoke" })),
      )),
    );
  }
}
