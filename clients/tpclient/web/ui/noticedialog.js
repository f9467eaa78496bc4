// The dialog "Notices": contacts, events and times of notifications.

import { minutesOf, wishFor } from "../core/notices.js";
import { WORDS } from "../words.js";
import { $, h, reveal, say, show } from "./dom.js";
import { withProof } from "./proof.js";
import { note, sentence } from "./toasts.js";

const KINDS = WORDS.notices.kinds;
const TARGETS = {
  mail: "ann@example.org",
  json: "https://example.org/hook",
  discord: "https://discord.com/api/webhooks/…",
  slack: "https://hooks.slack.com/services/…",
  matrix: "https://SERVER/_matrix/client/v3/rooms/ROOM/send/m.room.message",
};
const STATES = WORDS.notices.states;

export class NoticeDialog {
  #page;
  /** @type {import("../core/notices.js").Notices|null} */
  #told = null;
  #own = { email: "", emailResets: false };
  #busy = false;

  /** @param {Object} page `player` */
  constructor(page) {
    this.#page = page;
    for (const id of ["notices-home", "notices-game"]) $(id).addEventListener("click", () => this.open());
    $("notices-kind").addEventListener("change", () => this.#drawKind());
    const submits = { "notices-add": () => this.#add(), "notices-wish": () => this.#setWish(), "notices-times": () => this.#setTimes() };
    for (const [id, call] of Object.entries(submits)) {
      $(id).addEventListener("submit", (event) => {
        event.preventDefault();
        this.#do(call);
      });
    }
    $("notices-game-mode").addEventListener("change", () => this.#drawHours());
    $("notices-mode").addEventListener("change", () => this.#drawHours());
  }

  /** The game that is played, "" at home or where one only watches. */
  get #game() {
    const { player } = this.#page;
    return $("game").hidden || player.isWatching ? "" : player.listing?.name ?? player.game;
  }

  /** Offer the dialog where the server sends notices; not to know it harms nobody. @param {string} id of the button */
  async offer(id) {
    const { player } = this.#page;
    const told = await player.notices().catch(() => null);
    const isThere = told?.channels.length || (await player.calendar().catch(() => null))?.offered;
    $(id).hidden = !isThere || (id === "notices-game" && $("game").hidden);
  }

  async open() {
    try {
      await this.#look();
    } catch (error) {
      note(sentence(error), "bad");
      return;
    }
    say($("notices-problem"), "");
    say($("notices-news"), "");
    for (const id of ["notices-calendar", "notices-push"]) $(id)?.remove(); // they may be another account's
    this.#draw();
    this.#fill();
    $("notices").showModal();
    const { showCalendar } = await import("./calendarbox.js");
    await showCalendar(this.#page.player);
    if (!this.#told.channels.includes("push")) return;
    const { showPush } = await import("./pushbox.js");
    await showPush(this.#page.player, async () => {
      await this.#look();
      this.#draw();
    });
  }

  async #look() {
    const { player } = this.#page;
    const { ownAccount } = await import("../core/account.js");
    [this.#told, this.#own] = await Promise.all([player.notices(), ownAccount(player)]);
  }

  /** Do one thing at a time, tell what came of it, and show how things are then. */
  async #do(call) {
    if (this.#busy) return;
    this.#busy = true;
    say($("notices-problem"), "");
    say($("notices-news"), "");
    try {
      const words = await call();
      await this.#look();
      this.#draw();
      say($("notices-news"), words);
      reveal($("notices-news"));
    } catch (error) {
      say($("notices-problem"), sentence(error));
      reveal($("notices-problem"));
    } finally {
      this.#busy = false;
    }
  }

  #draw() {
    const { channels, addresses } = this.#told;
    $("notices-none").hidden = channels.length > 0;
    $("notices-all").hidden = channels.length === 0;
    show($("notices-addresses"), addresses.map((address) => this.#address(address)), this.#own.emailResets && this.#ownAddress());
    const kind = $("notices-kind").value;
    const typed = channels.filter((name) => name !== "push"); // that address only the browser itself can say
    $("notices-add").hidden = typed.length === 0;
    show($("notices-kind"), typed.map((name) => h("option", { value: name, text: KINDS[name] ?? name })));
    if (channels.includes(kind)) $("notices-kind").value = kind;
    this.#drawKind();
  }

  #drawKind() {
    const kind = $("notices-kind").value;
    $("notices-target").type = kind === "mail" ? "email" : "url";
    $("notices-target").placeholder = TARGETS[kind] ?? "";
    for (const id of ["notices-token", "notices-token-label"]) $(id).hidden = kind !== "matrix";
    for (const id of ["notices-resets", "notices-resets-label"]) $(id).hidden = kind !== "mail";
  }

  /** The address with which an account was made before addresses were verified for that. */
  #ownAddress() {
    const { email } = this.#own;
    return h(
      "li",
      {},
      h("span", {}, h("strong", { text: WORDS.notices.account }), WORDS.notices.mayReset({ email })),
      h("div", { class: "row" }, h("button", { type: "button", "aria-label": WORDS.notices.forbidResetsBy({ target: email }), onclick: () => this.#do(() => this.#page.player.setResetAddress(0, false)), text: WORDS.notices.forbidResets })),
    );
  }

  #address({ id, kind, target, state, problem, resets }) {
    const { player } = this.#page;
    const code = h("input", { "aria-label": WORDS.notices.codeFor({ target }), placeholder: WORDS.notices.code, maxlength: 40, size: 9, inputmode: "numeric", autocomplete: "one-time-code", required: true });
    const verify = (event) => {
      event.preventDefault();
      this.#do(() => player.verifyNoticeAddress(id, code.value));
    };
    return h(
      "li",
      { class: state },
      h("span", {}, h("strong", { text: KINDS[kind] ?? kind }), WORDS.notices.address({ target, state: STATES[state] ?? state, resets, problem })),
      state !== "verified" && h("form", { class: "row", onsubmit: verify }, code, h("button", { type: "submit", class: "primary", "aria-label": WORDS.notices.verifyTarget({ target }), text: WORDS.notices.verify })),
      h(
        "div",
        { class: "row" },
        state !== "verified" && h("button", { type: "button", "aria-label": WORDS.notices.anotherCodeFor({ target }), onclick: () => this.#do(() => player.verifyNoticeAddress(id, "")), text: WORDS.notices.anotherCode }),
        kind === "mail" && state === "verified" && h("button", { type: "button", "aria-label": (resets ? WORDS.notices.forbidResetsBy : WORDS.notices.allowResetsBy)({ target }), onclick: () => this.#do(() => withProof(player, (password) => player.setResetAddress(id, !resets, password))), text: resets ? WORDS.notices.forbidResets : WORDS.notices.allowResets }),
        h("button", { type: "button", "aria-label": WORDS.notices.removeTarget({ target }), onclick: () => this.#do(() => player.removeNoticeAddress(id)), text: WORDS.notices.remove }),
      ),
    );
  }

  /** The forms show what is set; they are filled once, so that nothing is lost that is being typed. */
  #fill() {
    const { usual, zone, quietFrom, quietTo, digest } = this.#told;
    $("notices-mode").value = usual.mode;
    $("notices-hours").value = usual.hours;
    const game = this.#game;
    for (const id of ["notices-game-mode", "notices-game-label"]) $(id).hidden = !game;
    say($("notices-game-label"), WORDS.notices.inGame({ game }));
    const wish = wishFor(this.#told, game);
    $("notices-game-mode").value = wish.mode;
    if (game && wish.mode) $("notices-hours").value = wish.hours;
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    $("notices-zone").value = zone === "UTC" && here ? here : zone;
    $("notices-quiet").checked = quietFrom !== quietTo;
    $("notices-from").value = quietFrom === quietTo ? "22:00" : quietFrom;
    $("notices-to").value = quietFrom === quietTo ? "07:00" : quietTo;
    $("notices-digest").value = digest;
    this.#drawHours();
  }

  #drawHours() {
    const mode = (this.#game && $("notices-game-mode").value) || $("notices-mode").value;
    $("notices-hours").disabled = mode === "off";
  }

  async #add() {
    const { player } = this.#page;
    const kind = $("notices-kind").value;
    const [target, token] = ["notices-target", "notices-token"].map((id) => $(id).value.trim());
    const resets = kind === "mail" && $("notices-resets").checked;
    const added = await withProof(player, (password) => player.addNoticeAddress(kind, target, token, { resets, password }));
    $("notices-target").value = $("notices-token").value = "";
    $("notices-resets").checked = false;
    return WORDS.notices.codeSent({ secret: added.secret });
  }

  async #setWish() {
    const { player } = this.#page;
    const hours = Math.max(0, Math.floor(Number($("notices-hours").value)) || 0);
    const game = this.#game;
    const inGame = game ? $("notices-game-mode").value : "";
    if (game) await player.setNoticeWish(game, inGame, inGame ? hours : 0);
    return player.setNoticeWish("", $("notices-mode").value, inGame ? this.#told.usual.hours : hours);
  }

  #setTimes() {
    const isQuiet = $("notices-quiet").checked;
    const [from, to] = isQuiet ? [minutesOf($("notices-from").value), minutesOf($("notices-to").value)] : [0, 0];
    return this.#page.player.setNoticeTimes($("notices-zone").value.trim(), from, to, minutesOf($("notices-digest").value));
  }
}
