// The slider under the board: any turn as this seat saw it.
// It replaces the present board only on the screen. An unfinished order form and the next turn wait meanwhile.

import { difference, positionOf } from "../core/changes.js";
import { History } from "../core/history.js";
import { WORDS } from "../words.js";
import { $, h, say, settled, show } from "./dom.js";
import { cardParts } from "./story.js";
import { note, sentence, tell } from "./toasts.js";

/** Milliseconds for which the slider, once it moves, has to rest before a turn is asked for. */
const RESTS = 60;

/** The turn that a click so far from the left end of the slider chooses, give or take one for the width of the handle. */
const turnAt = (slider, x) => Math.round((x / slider.clientWidth) * slider.max);

export class HistoryBar {
  #page;
  #history;
  /** What is shown in place of the game. @type {import("../core/history.js").Past|null} */
  #past = null;
  /** The turn that was chosen last, which may still be on its way; null: the game itself. @type {number|null} */
  #wanted = null;
  /** The present turn when the player began to look back: whatever begins later is told. */
  #since = 0;
  #goLater = settled((turn) => this.go(turn), RESTS);
  /** When the slider was moved last. */
  #slid = 0;
  /** The place that was chosen in the old turn. */
  #place = null;
  /** The turns that are gone through, one after the other; null: none are. @type {{first: number, last: number}|null} */
  #walk = null;

  /** @param {Object} page `player`, `map`, `turnNames`, `story`, `replay`, `lookBack(isPast)` */
  constructor(page) {
    this.#page = page;
    this.#history = new History(page.player);
    const slider = $("history-turn");
    slider.addEventListener("input", () => this.#slide(Number(slider.value)));
    const buttons = { first: () => this.go(0), back: () => this.step(-1), on: () => this.step(1), newest: () => this.go(page.player.turn) };
    for (const [name, call] of Object.entries(buttons)) $(`history-${name}`).addEventListener("click", call);
    $("past-back").addEventListener("click", () => this.leave());
    $("past-next").addEventListener("click", () => (this.#past?.turn === this.#walk?.last ? this.leave() : this.step(1)));
    // Whoever reaches for the slider is about to look back: the first step is not to wait for a login.
    for (const name of ["pointerenter", "focusin"]) $("history").addEventListener(name, () => this.isShown || this.#history.ahead(page.player.turn - 1));
    // And where the pointer rests on it is the turn that a click would choose.
    const askAhead = settled((turn) => turn === this.#wanted || this.#history.ahead(turn), RESTS);
    slider.addEventListener("pointermove", ({ offsetX }) => askAhead(turnAt(slider, offsetX)));
  }

  /** Whether an old turn is shown. */
  get isShown() {
    return this.#past !== null;
  }

  /** Another game: forget all of this one. */
  reset() {
    this.#history.forget();
    this.#close();
    this.update();
  }

  /** The clock, or who is logged in, is not what it was. */
  update() {
    const { player } = this.#page;
    const slider = $("history-turn");
    slider.max = String(player.turn);
    for (const id of ["first", "back", "turn", "on", "newest"]) $(`history-${id}`).disabled = player.turn === 0;
    this.#tellWanted();
    if (this.isShown) this.#showBanner();
  }

  step(by) {
    const { player } = this.#page;
    if (player.turn) this.go((this.#wanted ?? player.turn) + by);
  }

  #slide(turn) {
    this.#wanted = turn;
    this.#tellWanted();
    const isDragged = performance.now() - this.#slid < RESTS;
    this.#slid = performance.now();
    if (!isDragged || this.#history.kept(turn)) this.go(turn);
    else this.#goLater(turn);
  }

  /** Show a turn; the present one is the game itself, as long as it goes on. */
  async go(turn) {
    const { player } = this.#page;
    this.#goLater.cancel();
    this.#wanted = Math.min(Math.max(turn, 0), player.turn);
    const wanted = this.#wanted;
    if (wanted === player.turn && !player.over) {
      this.leave();
      return;
    }
    this.#tellWanted();
    $("history").classList.add("busy");
    try {
      const past = this.#history.kept(wanted) ?? (await this.#history.open(wanted));
      if (this.#wanted === wanted) this.#show(past);
    } catch (error) {
      if (this.#wanted !== wanted) return; // another turn was chosen meanwhile
      note(WORDS.oldTurns.notShown({ turn: this.#title(wanted), why: sentence(error) }), "bad");
      this.#wanted = this.#past?.turn ?? null;
      this.#tellWanted();
    } finally {
      if (this.#wanted === wanted || this.#wanted === null) $("history").classList.remove("busy");
    }
  }

  /** Look at a game that is over: its end with all that anybody saw, and the slider to go back from there. */
  async look() {
    await this.go(this.#page.player.turn);
    $("history-turn").focus();
  }

  /** Go through the turns from `first` to `last`, which began while we were away, the oldest first. */
  async walk(first, last) {
    this.#walk = { first, last };
    await this.go(first);
    if (this.isShown) $("past-next").focus();
    else this.#walk = null; // it cannot be shown, and a note says why
  }

  /** Back to the game. @returns {boolean} whether an old turn was shown */
  leave() {
    const wasShown = this.isShown;
    // Whoever comes to the end of what was missed, or has seen enough of it, has taken notice.
    if (wasShown && this.#walk) this.#page.story.takeNotice();
    this.#close();
    if (wasShown) tell(WORDS.oldTurns.backInGame);
    return wasShown;
  }

  #close() {
    const wasShown = this.isShown;
    this.#history.stop();
    this.#goLater.cancel();
    this.#past = this.#place = this.#wanted = this.#walk = null;
    $("history").classList.remove("busy");
    this.#tellWanted();
    for (const id of ["past", "past-banner"]) $(id).hidden = true;
    if (wasShown) this.#page.lookBack(false);
  }

  #show(past) {
    const { map, player, turnNames } = this.#page;
    const before = this.#past;
    this.#past = past;
    turnNames.learn(past);
    if (!before) {
      this.#since = player.turn;
      this.#page.lookBack(true);
    }
    // Whoever takes steps takes more of them; back is where the game cannot be. First this turn is to be seen.
    const ahead = past.turn + (before && before.turn < past.turn ? 1 : -1);
    requestAnimationFrame(() => setTimeout(() => this.#past === past && this.#history.ahead(ahead)));
    const isNext = before && Math.abs(before.turn - past.turn) === 1;
    const position = isNext && positionOf(before.universe, map.map);
    map.update(past.universe, true);
    map.select(null);
    this.#page.replay.tint(position ? difference(position, positionOf(past.universe, map.map)).places : new Set());
    if (!map.map.icons.has(this.#place)) this.#place = null;
    for (const id of ["past", "past-banner"]) $(id).hidden = false;
    this.#tellWanted();
    this.#showWalk();
    this.#showBanner();
    this.#showPanel();
    tell(WORDS.oldTurns.toldView({ turn: this.#title(past.turn), isOver: player.over }));
  }

  /** A place of the old turn was chosen: tell what is there. */
  clicked({ icon }) {
    this.#place = icon;
    this.#page.map.select(icon);
    this.#showPanel();
    tell(this.#page.map.lines(icon).join(". "));
  }

  #title(turn) {
    return this.#page.turnNames.of(turn, this.#page.player.turn);
  }

  #tellWanted() {
    const slider = $("history-turn");
    const turn = this.#wanted ?? this.#page.player.turn;
    const title = this.#title(turn);
    slider.value = String(turn);
    slider.setAttribute("aria-valuetext", title);
    say($("history-name"), title);
  }

  #showBanner() {
    const { player, turnNames } = this.#page;
    const { turn } = this.#past;
    const isNew = player.turn > this.#since && !player.over;
    show(
      $("past-text"),
      h("strong", { text: `${this.#title(turn)}, ` }),
      WORDS.oldTurns.view({ isOver: player.over }),
      isNew && h("em", { text: WORDS.oldTurns.meanwhile({ turn: turnNames.title(player.turn) }) }),
    );
  }

  /** Where we are among the turns that are gone through, and the way on. */
  #showWalk() {
    const { player } = this.#page;
    const { turn } = this.#past;
    const isMissed = this.#walk !== null && turn >= this.#walk.first && turn <= this.#walk.last;
    $("past-walk").hidden = !isMissed;
    if (!isMissed) return;
    const { first, last } = this.#walk;
    say($("past-walk").firstElementChild, WORDS.oldTurns.walk({ number: turn - first + 1, count: last - first + 1 }));
    say($("past-next"), turn === last ? WORDS.oldTurns.back : turn + 1 === player.turn && !player.over ? WORDS.oldTurns.on : WORDS.oldTurns.next);
  }

  async #showPanel() {
    const past = this.#past;
    const { map, player, story } = this.#page;
    const place = this.#place === null ? [] : map.lines(this.#place);
    const draw = (card) =>
      show(
        $("past-story"),
        h("h2", { text: this.#title(past.turn) }),
        h("p", { class: "hint", text: player.over ? WORDS.oldTurns.overAbout : WORDS.oldTurns.about }),
        place.length > 0 && h("article", { class: "letter" }, h("h4", { text: place[0] }), place.slice(1).map((text) => h("p", { text }))),
        card && card.reports.length > 0 && [h("h3", { text: WORDS.oldTurns.whatHappened }), cardParts(card, past.universe, (id) => map.select(id))],
      );
    draw(story.card(past.turn));
    if (story.card(past.turn)) return;
    const card = await story.ask(past.turn).catch(() => undefined);
    if (card && this.#past === past && place.join() === (this.#place === null ? [] : map.lines(this.#place)).join()) draw(card);
  }
}
