// The dialog "Administration", for accounts with a role.
// A role allows some commands of the operator. Loaded when it is first opened.

import { accountsOf, administer } from "../core/account.js";
import { plainText } from "../core/typed.js";
import { WORDS } from "../words.js";
import { DoingDialog } from "./doing.js";
import { h, say, show } from "./dom.js";

/** What is asked besides the name of a game, by operation. */
const MORE = { "game extend": ["seconds", WORDS.admin.seconds], "game set-clock": ["clock", WORDS.admin.clock], "game invite": ["account", WORDS.admin.account], "game players": ["reason", WORDS.common.reason] };

/** @type {AdminDialog|null} */
let dialog = null;

/** Show the dialog. @param {Object} page `player`, `games` @param {string[]} operations what the account may do @returns {Promise<void>} */
export async function openAdmin(page, operations) {
  dialog ??= new AdminDialog(page);
  await dialog.open(operations);
}

class AdminDialog extends DoingDialog {
  #page;
  /** @type {string[]} */
  #operations = [];
  #search = h("input", { id: "admin-search", maxlength: 100, autocomplete: "off", spellcheck: "false" });
  #reason = h("input", { id: "admin-reason", maxlength: 300, autocomplete: "off" });
  #accounts = h("ul", { id: "admin-accounts" });
  #more = h("button", { type: "button", text: WORDS.admin.more });
  #game = h("select", { id: "admin-game" });
  #operation = h("select", { id: "admin-operation", onchange: () => this.#drawMore() });
  #moreLabel = h("label", { for: "admin-more" });
  #moreField = h("input", { id: "admin-more", maxlength: 500, autocomplete: "off", spellcheck: "false" });
  #lines = h("pre", { tabindex: 0, "aria-label": WORDS.admin.output });
  #box;

  constructor(page) {
    super();
    this.#page = page;
    const form = (call, ...children) => h("form", { class: "making", onsubmit: (event) => this.submit(event, call) }, ...children);
    const row = (words) => h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: words }));
    this.#box = h(
      "dialog",
      { id: "admin", "aria-labelledby": "admin-heading" },
      h("header", {}, h("h2", { id: "admin-heading", text: WORDS.admin.title }), h("form", { method: "dialog" }, h("button", { class: "primary", text: WORDS.common.close }))),
      this.problem,
      this.news,
      this.#lines,
      h("h3", { text: WORDS.admin.accounts }),
      form(() => this.#list(), h("label", { for: "admin-search", text: WORDS.common.name }), this.#search, row(WORDS.admin.look)),
      h("div", { class: "making" }, h("label", { for: "admin-reason", text: WORDS.common.reason }), this.#reason, h("p", { class: "hint", text: WORDS.admin.reasonAbout })),
      this.#accounts,
      this.#more,
      h("h3", { text: WORDS.admin.games }),
      form(() => this.#doWithGame(), h("label", { for: "admin-game", text: WORDS.admin.game }), this.#game, h("label", { for: "admin-operation", text: WORDS.admin.operation }), this.#operation, this.#moreLabel, this.#moreField, row(WORDS.admin.doIt)),
      h("h3", { text: WORDS.admin.history }),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.do(() => this.#print("audit", {})), text: WORDS.admin.showAudit })),
    );
    document.body.append(this.#box);
  }

  async open(operations) {
    this.#operations = operations;
    this.clear();
    show(this.#lines);
    this.#lines.hidden = true;
    const games = await this.#page.player.games();
    show(this.#game, games.map(({ name }) => h("option", { value: name, text: name })));
    const doings = operations.filter((one) => one.startsWith("game ") && one !== "game list");
    show(this.#operation, doings.map((one) => h("option", { value: one, text: one.slice(5) })));
    this.#drawMore();
    await this.#list();
    this.#box.showModal();
  }

  #drawMore() {
    const [, label] = MORE[this.#operation.value] ?? [];
    this.#moreLabel.hidden = this.#moreField.hidden = !label;
    say(this.#moreLabel, label ?? "");
    this.#moreField.value = "";
  }

  /** Do an operation whose lines are more than a sentence. */
  async #print(operation, args) {
    const lines = await administer(this.#page.player, operation, args);
    this.#lines.textContent = lines.join("\n");
    this.#lines.hidden = false;
  }

  async #doWithGame() {
    const operation = this.#operation.value;
    const [key] = MORE[operation] ?? [];
    const args = { name: this.#game.value, ...(key && { [key]: plainText(this.#moreField.value) }) };
    if (operation === "game show" || operation === "game players") return this.#print(operation, args);
    return (await administer(this.#page.player, operation, args)).join(" ");
  }

  /** @param {number} start 0: from the beginning */
  async #list(start = 0) {
    const { accounts, following } = await accountsOf(this.#page.player, plainText(this.#search.value), start);
    const rows = accounts.map((account) => this.#account(account));
    if (start) this.#accounts.append(...rows);
    else show(this.#accounts, rows.length ? rows : h("li", { text: WORDS.admin.none }));
    this.#more.hidden = !following;
    this.#more.onclick = () => this.do(() => this.#list(following));
  }

  #account({ name, role, state, reason, isOnline }) {
    const can = (operation) => this.#operations.includes(operation);
    const act = (operation, label, args = {}) => can(operation) && h("button", { type: "button", "aria-label": `${label} ${name}`, onclick: () => this.do(() => this.#change(operation, { name, ...args })), text: label });
    const password = h("input", { type: "password", maxlength: 1024, autocomplete: "new-password", "aria-label": WORDS.admin.newPasswordOf({ name }), placeholder: WORDS.admin.newPassword });
    const set = (event) => this.submit(event, () => this.#change("account reset-password", { name, password: password.value }));
    const isPlayer = role === "player" || role === "bot";
    return h(
      "li",
      { class: state },
      h("span", {}, h("strong", { text: name }), WORDS.admin.accountLine({ role, state, reason, isOnline })),
      state !== "removed" && h(
        "div",
        { class: "row" },
        state === "disabled" ? act("account enable", WORDS.admin.enable) : act("account disable", WORDS.admin.disable),
      ),
      state !== "removed" && isPlayer && can("account reset-password") && h("form", { class: "row", onsubmit: set }, password, h("button", { type: "submit", "aria-label": WORDS.admin.setPasswordOf({ name }), text: WORDS.admin.setPassword })),
    );
  }

  async #change(operation, args) {
    const reason = this.#reason.value.trim();
    const takesReason = operation === "account disable" || operation === "account enable";
    const lines = await administer(this.#page.player, operation, takesReason && reason ? { ...args, reason } : args);
    await this.#list();
    return lines.join(" ");
  }
}
