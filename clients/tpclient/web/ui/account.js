// The dialog "Account": password, and tokens for bots and scripts.
// Loaded when it is first opened.

import { createToken, ownAccount, revokeToken, tokensOf } from "../core/account.js";
import { disconnectProvider, providersOf } from "../core/providers.js";
import { WORDS } from "../words.js";
import { DoingDialog } from "./doing.js";
import { h, say, show } from "./dom.js";
import { withProof } from "./proof.js";
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
  #admin = h("button", { type: "button", "aria-haspopup": "dialog", hidden: true, onclick: () => this.#openAdmin(), text: WORDS.account.administration });
  /** What the account may do for the operator. @type {string[]} */
  #operations = [];
  #providers = h("ul", { id: "account-providers" });
  #signIn = h("h3", { text: WORDS.account.signInWith });
  #old;
  #box;

  constructor(page) {
    super();
    this.#page = page;
    const password = (id, label, autocomplete) => field(id, label, { type: "password", maxlength: 1024, autocomplete, required: true });
    this.#old = password("password-old", WORDS.account.oldPassword, "current-password");
    this.#box = h(
      "dialog",
      { id: "account", "aria-labelledby": "account-heading" },
      h("header", {}, h("h2", { id: "account-heading", text: WORDS.account.title }), h("form", { method: "dialog" }, h("button", { class: "primary", text: WORDS.common.close }))),
      this.problem,
      this.news,
      this.#admin,
      h("h3", { text: WORDS.common.password }),
      h(
        "form",
        { class: "making", onsubmit: (event) => this.submit(event, () => this.#changePassword(event.target)) },
        this.#old,
        password("password-new", WORDS.account.newPassword, "new-password"),
        password("password-again", WORDS.common.onceMore, "new-password"),
        field("drop-addresses", WORDS.account.removeAddresses, { type: "checkbox" }),
        field("drop-providers", WORDS.account.disconnectProviders, { type: "checkbox" }),
        field("drop-links", WORDS.account.revokeCalendar, { type: "checkbox" }),
        h("p", { class: "hint", text: WORDS.account.changeEffect }),
        h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: WORDS.account.change })),
      ),
      this.#signIn,
      this.#providers,
      h("h3", { text: WORDS.account.tokens }),
      h("p", { class: "hint", text: WORDS.account.tokensAbout }),
      this.#secret,
      this.#tokens,
      h(
        "form",
        { class: "making", onsubmit: (event) => this.submit(event, () => this.#createToken(event.target)) },
        field("token-label", WORDS.account.tokenFor, { maxlength: 100, autocomplete: "off", placeholder: WORDS.account.tokenExample, required: true }),
        h("label", { for: "token-game", text: WORDS.account.tokenIn }),
        this.#games,
        field("token-days", WORDS.account.tokenDays, { type: "number", min: 1, max: 366, value: 90, required: true }),
        field("token-read-only", WORDS.account.readOnly, { type: "checkbox" }),
        h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: WORDS.account.makeToken })),
      ),
    );
    document.head.append(h("link", { rel: "stylesheet", href: "account.css" }));
    document.body.append(this.#box);
  }

  async open() {
    this.clear();
    for (const password of this.#box.querySelectorAll("[type=password]")) password.value = ""; // of another account
    const { player } = this.#page;
    const [tokens, games, { operations }] = await Promise.all([tokensOf(player), player.ownGames(), ownAccount(player)]);
    await this.#drawProviders();
    this.#draw(tokens);
    this.#operations = operations;
    this.#admin.hidden = !operations.length;
    show(this.#games, h("option", { value: "", text: WORDS.account.allGames }), games.map(({ name }) => h("option", { value: name, text: name })));
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
    show(this.#secret);
    this.#secret.hidden = true;
  }

  /** Show how things are then, too. */
  async came(words) {
    this.#draw(await tokensOf(this.#page.player));
    await this.#drawProviders();
    await super.came(words);
  }

  async #changePassword(form) {
    const [old, password, again, addresses, providers, links] = form.querySelectorAll("input");
    if (password.value !== again.value) throw new Error(WORDS.account.passwordsDiffer);
    const { player } = this.#page;
    const dropped = { addresses: addresses.checked, providers: providers.checked, links: links.checked };
    const words = await player.changePassword(old.value, password.value, dropped);
    form.reset();
    if (isStaying()) await stayLoggedIn(player); // the cookie that this browser had has ended with the old password
    return words;
  }

  async #createToken(form) {
    const [label, game, days, readOnly] = form.querySelectorAll("input, select");
    const { player } = this.#page;
    const wanted = { label: label.value.trim(), game: game.value, isReadOnly: readOnly.checked, days: Math.floor(Number(days.value)) || 0 };
    const token = await withProof(player, (given) => createToken(player, { ...wanted, password: given }));
    label.value = "";
    show(this.#secret, WORDS.account.tokenIs, h("output", { text: token.secret }));
    this.#secret.hidden = false;
    return WORDS.account.tokenCreated;
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
        h("span", {}, h("strong", { text: name }), WORDS.account.provider({ isConnected })),
        h("div", { class: "row" }, h("button", { type: "button", "aria-label": WORDS.account.connectProvider({ isConnected, name }), onclick: () => this.do(() => (isConnected ? disconnectProvider(player, id) : this.#connect(id))), text: isConnected ? WORDS.account.disconnect : WORDS.account.connect })),
      )),
    );
  }

  async #connect(id) {
    const { connect } = await import("./doors.js");
    await connect(this.#page.player, id);
    return WORDS.account.openingProvider;
  }

  #draw(tokens) {
    const { player } = this.#page;
    show(
      this.#tokens,
      tokens.map(({ id, label, game, isReadOnly, ends, used }) => h(
        "li",
        {},
        h("span", {}, h("strong", { text: label }), WORDS.account.token({ game, isReadOnly, ends: day(ends), used: used && day(used) })),
        h("div", { class: "row" }, h("button", { type: "button", "aria-label": WORDS.account.revokeToken({ label }), onclick: () => this.do(() => revokeToken(player, id)), text: WORDS.account.revoke })),
      )),
    );
  }
}
