// The turn clock of the game, among the players and in a dialog.
// The dialog is for the owner of the game, who may change the clock.

import { WORDS, duration } from "../words.js";
import { ClockForm } from "./clockform.js";
import { $, h, moment, say, settled, show } from "./dom.js";
import { note, sentence } from "./toasts.js";

/** Seconds that a turn can be given, if no turn is shorter. */
const TIMES = [60, 300, 900, 3600, 21_600, 86_400, 259_200];

export class ClockBox {
  #page;
  /** The newest that was told; null as long as nothing is, and of a server that does not tell it. @type {import("../core/clocks.js").GameClock|null} */
  clock = null;
  #toldAt = 0;
  /** It is asked when the time is told, which comes for each player who is done. */
  look = settled(() => this.#look(), 150);
  #form = null;

  /** @param {Object} page `player`, `clockTold()`, `openOwning()` */
  constructor(page) {
    this.#page = page;
    $("clock-give").addEventListener("click", () => this.#change(() => page.player.extendTurn(this.clock.game, Number($("clock-more").value))));
    $("clock-back").addEventListener("click", () => this.#change(() => page.player.takeTimeBack(this.clock.game)));
    $("clock-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#change(() => page.player.setClock(this.clock.game, this.#form.get()));
    });
    $("clock-close").addEventListener("click", () => $("clock-dialog").close());
  }

  /** Another game is shown. */
  reset() {
    this.clock = null;
    this.look();
  }

  async #look() {
    const { player } = this.#page;
    const { universe } = player;
    const clock = await player.gameClock("").catch(() => null);
    if (universe !== player.universe || $("game").hidden) return;
    this.clock = clock;
    this.#toldAt = Date.now();
    this.#page.clockTold();
  }

  /** What stands among the players. @returns {(HTMLElement|false)[]} */
  parts() {
    const { clock } = this;
    if (!clock?.words) return [];
    const { due, ends, words, isOwned } = clock;
    return [
      h("h2", { text: WORDS.clock.title }),
      h("p", { text: `${words[0].toUpperCase()}${words.slice(1)}.` }),
      due !== null && due > this.#toldAt - 1000 && h("p", { id: "clock-due", text: WORDS.clock.due({ when: moment(due) }) }),
      ends !== null && ends > due && h("p", { id: "clock-ends", text: WORDS.clock.latest({ when: moment(ends) }) }),
      isOwned && h("button", { type: "button", id: "clock-change", "aria-haspopup": "dialog", onclick: () => this.#open(), text: WORDS.clock.change }),
      isOwned && h("button", { type: "button", id: "game-change", "aria-haspopup": "dialog", onclick: () => this.#page.openOwning(), text: WORDS.clock.changeGame }),
    ];
  }

  /** What is left in the time bank of a player, in words; "" if there is none. @param {number} id */
  bankWords(id) {
    const left = this.clock?.banks.get(id);
    return left === undefined ? "" : WORDS.clock.timeBank({ seconds: left });
  }

  async #open() {
    const { player } = this.#page;
    const { clock } = this;
    if (!this.#form) {
      const forms = [...$("making-clock").options].filter(({ value }) => /^(all-done|interval:\d+)$/.test(value));
      $("clock-other").append(...forms.map((option) => option.cloneNode(true)));
      this.#form = new ClockForm("clock-other");
    }
    say($("clock-problem"), "");
    $("clock-extend").hidden = clock.due === null;
    $("clock-give").textContent = clock.needsConsent ? WORDS.clock.proposeIt : WORDS.clock.giveIt;
    $("clock-set").textContent = clock.needsConsent ? WORDS.clock.propose : WORDS.clock.change;
    $("clock-give").hidden = !clock.most && !clock.needsConsent;
    $("clock-back").hidden = !clock.given || clock.needsConsent;
    const times = clock.needsConsent ? TIMES : [...TIMES.filter((time) => time < clock.most), clock.most];
    show($("clock-more"), times.filter(Boolean).map((time) => h("option", { value: time, text: duration(time) })));
    this.#form.set(clock.clock);
    $("clock-dialog").showModal();
    const { ruleset } = player.listing ?? {};
    this.#form.setGroups(ruleset ? await player.clockGroups(ruleset).catch(() => []) : []);
  }

  async #change(ask) {
    say($("clock-problem"), "");
    try {
      note(`${(await ask()).replace(/\.$/, "")}.`, "good");
      $("clock-dialog").close();
      this.look();
    } catch (error) {
      say($("clock-problem"), sentence(error));
    }
  }
}
