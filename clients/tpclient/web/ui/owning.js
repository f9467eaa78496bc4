// The dialog "This game", for the owner: name, access, new owner, abort.
// An aborted game has no result. Loaded when it is first opened.

import { plainCode } from "../core/typed.js";
import { WORDS } from "../words.js";
import { ask } from "./asking.js";
import { DoingDialog } from "./doing.js";
import { h, show } from "./dom.js";
import { watchChoices, watchFields } from "./setup.js";
import { note } from "./toasts.js";

/** @type {OwningDialog|null} */
let dialog = null;

/** Show the dialog. @param {Object} page `player`, `clockBox` @returns {Promise<void>} rejects with the server's sentence */
export async function openOwning(page) {
  const { game, needsConsent } = await page.player.gameClock(""); // what it is called now
  dialog ??= new OwningDialog(page);
  dialog.open(game, needsConsent);
}

class OwningDialog extends DoingDialog {
  #page;
  #game = "";
  #name = h("input", { id: "owning-name", maxlength: 63, autocomplete: "off", spellcheck: "false", required: true });
  #join = h("select", { id: "owning-join" }, h("option", { value: "open", text: WORDS.owning.joinAll }), h("option", { value: "invited", text: WORDS.owning.joinInvited }));
  #watch = h("select", { id: "owning-watch" }, watchChoices());
  #owner = h("select", { id: "owning-owner" });
  #reason = h("input", { id: "owning-reason", maxlength: 300, autocomplete: "off", required: true });
  #handing;
  #ending;
  #needsConsent = false;
  #box;

  constructor(page) {
    super();
    this.#page = page;
    const form = (call, label, control, words) =>
      h("form", { class: "making", onsubmit: (event) => this.submit(event, call) }, h("label", { for: control.id, text: label }), control, h("div", { class: "row" }, h("button", { type: "submit", text: words })));
    this.#handing = form(() => this.#asked("handOverGame", { player: Number(this.#owner.value) }), WORDS.owning.newOwner, this.#owner, WORDS.owning.handOver);
    this.#ending = form(() => this.#end(), WORDS.owning.endBecause, this.#reason, WORDS.owning.end);
    this.#box = h(
      "dialog",
      { id: "owning", "aria-labelledby": "owning-heading" },
      h("h2", { id: "owning-heading", text: WORDS.owning.title }),
      h("p", { class: "hint", text: WORDS.owning.about }),
      this.problem,
      form(() => this.#asked("renameGame", { name: plainCode(this.#name.value) }), WORDS.common.name, this.#name, WORDS.owning.rename),
      form(() => this.#asked("setJoin", { invited: this.#join.value === "invited" }), WORDS.owning.join, this.#join, WORDS.owning.changeJoin),
      form(() => this.#asked("setWatchDelay", watchFields(this.#watch.value)), WORDS.owning.watch, this.#watch, WORDS.owning.changeWatch),
      this.#handing,
      this.#ending,
      h("form", { method: "dialog", class: "row" }, h("button", { class: "primary", text: WORDS.common.close })),
    );
    document.body.append(this.#box);
  }

  open(game, needsConsent) {
    this.#game = game;
    this.#needsConsent = needsConsent;
    this.#ending.querySelector("button").textContent = needsConsent ? WORDS.owning.proposeEnd : WORDS.owning.end;
    this.clear();
    this.#name.value = game;
    this.#reason.value = "";
    const { universe } = this.#page.player;
    const others = [...universe.players.values()].filter((one) => one.id !== universe.me);
    show(this.#owner, others.map((one) => h("option", { value: String(one.id), text: one.name })));
    this.#handing.hidden = !others.length;
    this.#box.showModal();
  }

  /** Close, unless there was a second thought; the toast is seen in the game. */
  async came(words) {
    if (!words) return;
    note(`${words.replace(/\.$/, "")}.`, "good");
    this.#box.close();
    this.#page.clockBox.look();
  }

  async #asked(kind, more) {
    return (await this.#page.player.askOne(kind, { game: this.#game, ...more }, "okay")).result ?? "";
  }

  async #end() {
    const reason = this.#reason.value;
    const isMeant = this.#needsConsent || (await ask({ title: WORDS.owning.endTitle, text: WORDS.owning.endText, yes: WORDS.owning.end, no: WORDS.owning.goOn }));
    return isMeant ? this.#page.player.changeGame("abortGame", { game: this.#game, reason }, { kind: "abort", reason }) : "";
  }
}
