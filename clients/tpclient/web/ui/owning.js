// The dialog "This game", for whoever has made it: another name, who may join, another owner, its end without a result. It
// comes when it is opened first.

import { ask } from "./asking.js";
import { DoingDialog } from "./doing.js";
import { h, show } from "./dom.js";
import { watchChoices, watchFields } from "./setup.js";
import { note } from "./toasts.js";

/** @type {OwningDialog|null} */
let dialog = null;

/** Show the dialog. @param {Object} page `player`, `clockBox` @returns {Promise<void>} rejects with the server's sentence */
export async function openOwning(page) {
  const { game } = await page.player.gameClock(""); // what it is called now
  dialog ??= new OwningDialog(page);
  dialog.open(game);
}

class OwningDialog extends DoingDialog {
  #page;
  #game = "";
  #name = h("input", { id: "owning-name", maxlength: 63, autocomplete: "off", spellcheck: "false", required: true });
  #join = h("select", { id: "owning-join" }, h("option", { value: "open", text: "whoever has an account here" }), h("option", { value: "invited", text: "invited players only, also to watch" }));
  #watch = h("select", { id: "owning-watch" }, watchChoices());
  #owner = h("select", { id: "owning-owner" });
  #reason = h("input", { id: "owning-reason", maxlength: 300, autocomplete: "off", required: true });
  #handing;
  #box;

  constructor(page) {
    super();
    this.#page = page;
    const form = (call, label, control, words) =>
      h("form", { class: "making", onsubmit: (event) => this.submit(event, call) }, h("label", { for: control.id, text: label }), control, h("div", { class: "row" }, h("button", { type: "submit", text: words })));
    this.#handing = form(() => this.#asked("handOverGame", { player: Number(this.#owner.value) }), "Another owner", this.#owner, "Hand it over");
    this.#box = h(
      "dialog",
      { id: "owning", "aria-labelledby": "owning-heading" },
      h("h2", { id: "owning-heading", text: "This game" }),
      h("p", { class: "hint", text: "You have made it. All players are told of what you change." }),
      this.problem,
      form(() => this.#asked("renameGame", { name: this.#name.value.trim() }), "Its name", this.#name, "Rename it"),
      form(() => this.#asked("setJoin", { invited: this.#join.value === "invited" }), "Who can join", this.#join, "Change it"),
      form(() => this.#asked("setWatchDelay", watchFields(this.#watch.value)), "Spectators see it (once it has begun, only later than now)", this.#watch, "Change that"),
      this.#handing,
      form(() => this.#end(), "End it without a result, because", this.#reason, "End it"),
      h("form", { method: "dialog", class: "row" }, h("button", { class: "primary", text: "Close" })),
    );
    document.body.append(this.#box);
  }

  open(game) {
    this.#game = game;
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
    const isMeant = await ask({ title: "End this game?", text: "It is over for all players, without a result. Nothing takes that back.", yes: "End it", no: "Go on" });
    return isMeant ? this.#asked("abortGame", { reason: this.#reason.value }) : "";
  }
}
