// The turn: its name, the time that is left, who is awaited, and what its button does.

import { secondsLeft } from "../core/clock.js";
import { isLate } from "../core/clocks.js";
import { $, counted, duration, listed, moment, say } from "./dom.js";
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
    let text = isAwaited ? `You are awaited${others.length ? `, and ${listed(others)}` : ""}.` : others.length ? `Waiting for ${listed(others)}.` : "";
    if (isOver) text = "The game is over.";
    else if (clock.delay) text = clock.present < clock.delay ? "" : `You watch turn ${clock.turn} of ${clock.present}: the game shows its turns ${counted(clock.delay, "turn")} later.`;
    else if (clock.computing) text = "The turn is being computed…";
    say($("awaited"), text);
    $("awaited").classList.toggle("you", isAwaited && !isOver);
    this.#showFinish(isAwaited, isOver);
    document.title = `${isAwaited && !isOver ? "● " : ""}${player.game || "Thousand Parsec"}: ${title}`;
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
    say(button, takesBack ? "Not finished after all" : "Finish turn");
    button.classList.toggle("primary", !takesBack);
    button.disabled = !takesBack && (isOver || clock.computing || !isAwaited);
    button.title = isOver ? "The game is over" : isAwaited ? "I am done with this turn (f, then Enter)" : takesBack ? "Go on with this turn: it is not over yet (f, then Enter)" : "You are not awaited now";
  }

  #tick() {
    const { clock, over } = this.#page.player;
    if (!clock || $("turn-box").hidden) return;
    const left = secondsLeft(clock, Date.now());
    const isShown = !over && !clock.computing && left !== null;
    const late = isLate(this.#page.clockBox.clock, Date.now()) ? " of extra time" : "";
    say($("time"), isShown ? `${duration(left)}${late} left` : "");
    $("time").title = isShown ? `until ${moment(clock.deadline)}` : "";
    $("time").classList.toggle("short", left !== null && left < 60);
  }
}
