// The dialog for a forgotten password: a mailed code sets a new one.
// Loaded when it is first opened.

import { WORDS } from "../words.js";
import { $, h, say } from "./dom.js";
import { sentence } from "./toasts.js";

/** @type {ResetDialog|null} */
let dialog = null;

/** Show the dialog. @param {Object} page `player` @param {string} code from the mail, "": there is none yet */
export function openReset(page, code) {
  dialog ??= new ResetDialog(page);
  dialog.open(code);
}

class ResetDialog {
  #page;
  #busy = false;
  #problem = h("p", { class: "problem", role: "alert" });
  #news = h("p", { role: "status" });
  #account = h("input", { id: "reset-account", maxlength: 255, autocomplete: "username", required: true });
  #code = h("input", { id: "reset-code", maxlength: 100, autocomplete: "one-time-code", spellcheck: "false", required: true });
  #password = h("input", { id: "reset-password", type: "password", maxlength: 1024, autocomplete: "new-password", required: true });
  #box;

  constructor(page) {
    this.#page = page;
    const form = (call, words, ...fields) => h("form", { class: "making", onsubmit: (event) => this.#submit(event, call) }, ...fields, h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: words })));
    this.#box = h(
      "dialog",
      { id: "account-reset", "aria-labelledby": "reset-heading" },
      h("h2", { id: "reset-heading", text: WORDS.passwordReset.title }),
      this.#problem,
      this.#news,
      form(() => this.#request(), WORDS.passwordReset.sendCode, h("label", { for: "reset-account", text: WORDS.passwordReset.account }), this.#account),
      form(() => this.#reset(), WORDS.passwordReset.setPassword, h("label", { for: "reset-code", text: WORDS.passwordReset.code }), this.#code, h("label", { for: "reset-password", text: WORDS.passwordReset.newPassword }), this.#password),
      h("form", { method: "dialog" }, h("button", { text: WORDS.common.close })),
    );
    document.body.append(this.#box);
  }

  open(code) {
    for (const element of [this.#problem, this.#news]) say(element, "");
    this.#account.value = $("user").value;
    this.#code.value = code;
    this.#box.showModal();
    (code ? this.#password : this.#account).focus();
  }

  async #submit(event, call) {
    event.preventDefault();
    if (this.#busy) return;
    this.#busy = true;
    for (const element of [this.#problem, this.#news]) say(element, "");
    try {
      await this.#page.player.connect();
      say(this.#news, `${await call()}.`);
    } catch (error) {
      say(this.#problem, sentence(error));
    } finally {
      this.#busy = false;
    }
  }

  async #request() {
    const words = await this.#page.player.requests.requestReset({ account: this.#account.value.trim() });
    this.#code.focus();
    return words;
  }

  async #reset() {
    const words = await this.#page.player.requests.resetPassword({ code: this.#code.value, password: this.#password.value });
    $("password").value = this.#password.value;
    this.#password.value = this.#code.value = "";
    return words;
  }
}
