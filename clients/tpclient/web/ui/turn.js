// The turn: name, time remaining, awaited players, and its button.

import { secondsLeft } from "../core/clock.js";
import { isLate } from "../core/clocks.js";
import { WORDS } from "../words.js";
import { $, moment, say } from "./dom.js";
import { tell } from "./toasts.js";

export class TurnBox {
  #page;
  #turn = 0;

  /** @param {Object} page `player`, `legal`, `turnNames`, `clockBox` */
  constructor(page) {
    this.#page = page;
    setInterval(() => this.#tick(), 1000);
  }

  update() {
    const { player } = this.#page;
    const { clock, universe } = player;
    if (!clock || !universe) return;
    const title = this.#page.turnNames.title(clock.turn);
    say($("turn"), title);
    const isAwaited = clock.waiting.includes(universe.me);
    const others = clock.waiting.filter((id) => id !== universe.me).map((id) => universe.playerName(id));
    const isOver = player.over || clock.over;
    let text = WORDS.turn.awaited({ isAwaited, others });
    if (isOver) text = WORDS.turn.isOver;
    else if (clock.delay) text = clock.present < clock.delay ? "" : WORDS.turn.watching(clock);
    else if (clock.computing) text = WORDS.turn.computing;
    say($("awaited"), text);
    $("awaited").classList.toggle("you", isAwaited && !isOver);
    this.#showFinish(isAwaited, isOver);
    document.title = `${isAwaited && !isOver ? "● " : ""}${player.game || WORDS.common.product}: ${title}`;
    if (clock.turn !== this.#turn) {
      this.#turn = clock.turn;
      tell(`${title}. ${text}`);
    }
    this.#tick();
  }

  /** Whether the button takes back that the turn is finished, which is so until the turn is computed. */
  get takesBack() {
    return $("finish").dataset.does === "unfinish";
  }

  /** The button says what it does now. */
  #showFinish(isAwaited, isOver) {
    const { legal, player } = this.#page;
    const { clock } = player;
    const button = $("finish");
    // A server that does not tell what is legal is older than taking back.
    const takesBack = !isAwaited && !isOver && !clock.computing && player.finishedTurn === clock.turn && player.canUnfinish && !legal.isMissing;
    button.dataset.does = takesBack ? "unfinish" : "finish";
    say(button, takesBack ? WORDS.turn.changeOrders : WORDS.turn.finish);
    button.classList.toggle("primary", !takesBack);
    button.disabled = !takesBack && (isOver || clock.computing || !isAwaited);
    button.title = isOver ? WORDS.turn.overTitle : isAwaited ? WORDS.turn.finishTitle : takesBack ? WORDS.turn.goOnTitle : WORDS.turn.notYourMove;
  }

  #tick() {
    const { clock, over } = this.#page.player;
    if (!clock || $("turn-box").hidden) return;
    const left = secondsLeft(clock, Date.now());
    const isShown = !over && !clock.computing && left !== null;
    const late = isLate(this.#page.clockBox.clock, Date.now());
    say($("time"), isShown ? WORDS.turn.left({ seconds: left, isExtra: late }) : "");
    $("time").title = isShown ? WORDS.turn.until({ when: moment(clock.deadline) }) : "";
    $("time").classList.toggle("short", left !== null && left < 60);
  }
}
