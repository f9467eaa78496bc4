// The turn: its name, the time that is left, who is awaited, what happened last, and how it ended.

import { secondsLeft } from "../core/clock.js";
import { $, h, listed, say, show } from "./dom.js";
import { duration } from "./lobby.js";
import { tell } from "./notices.js";

const MOST_NEWS = 6;
/** Letters of each report in the line of news. */
const MOST_LETTERS = 160;

export class TurnBox {
  #page;
  #turn = 0;

  /** @param {Object} page `player`, `turnNames`, `showTab(name)` */
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
    else if (clock.computing) text = "The turn is being computed…";
    say($("awaited"), text);
    $("awaited").classList.toggle("you", isAwaited && !isOver);
    $("finish").disabled = isOver || clock.computing || !isAwaited;
    $("finish").title = isOver ? "The game is over" : isAwaited ? "I am done with this turn (f, then Enter)" : "You are not awaited now";
    document.title = `${isAwaited && !isOver ? "● " : ""}${player.game || "Thousand Parsec"}: ${title}`;
    if (clock.turn !== this.#turn) {
      this.#turn = clock.turn;
      tell(`${title}. ${text}`);
    }
    this.#tick();
  }

  #tick() {
    const { clock, over } = this.#page.player;
    if (!clock || $("turn-box").hidden) return;
    const left = secondsLeft(clock, Date.now());
    say($("time"), over || clock.computing ? "" : left === null ? "no deadline" : `${duration(left)} left`);
    $("time").classList.toggle("short", left !== null && left < 60);
  }

  /** A line of what happened in the last turn. @param {Object[]} messages */
  showNews(messages) {
    const own = messages.filter((one) => !one.from);
    const turn = own.reduce((latest, one) => Math.max(latest, one.turn), 0);
    const latest = own.filter((one) => one.turn === turn);
    if (!latest.length) {
      show($("news"), messages.length ? [] : h("span", { class: "hint", text: "Nothing has happened yet." }));
      return;
    }
    const parts = latest.slice(0, MOST_NEWS).map((one) => h("span", { class: "item" }, h("strong", { text: one.subject }), one.body ? ` ${inOneLine(one.body)}` : ""));
    const rest = latest.length - parts.length;
    show($("news"), h("span", { class: "hint", text: this.#page.turnNames.title(turn) }), parts, h("button", { type: "button", class: "link", onclick: () => this.#page.showTab("messages"), text: rest > 0 ? `and ${rest} more` : "all messages" }));
  }

  /** The last words of the game: all reports of its last turn, the one that tells the end first. */
  showEnding(messages) {
    this.update();
    const own = messages.filter((one) => !one.from);
    const turn = own.reduce((latest, one) => Math.max(latest, one.turn), 0);
    const reports = own.filter((one) => one.turn === turn);
    const last = reports.findLast((one) => /game over|is over|won|winner|final/i.test(`${one.subject} ${one.body}`));
    const others = reports.filter((one) => one !== last);
    say($("ending-title"), last?.subject || "The game is over");
    // The name of the last turn tells who has won; a game may have nothing to add to that.
    const name = this.#page.player.clock?.name;
    show(
      $("ending-text"),
      name && name !== last?.subject && h("p", {}, h("strong", { text: name })),
      last?.body && h("pre", { text: last.body }),
      others.length > 0 && h("h3", { text: "What happened last" }),
      others.map((one) => h("p", {}, h("strong", { text: one.subject }), one.body && ` ${one.body}`)),
    );
    if (!$("ending").open) $("ending").showModal();
  }
}

function inOneLine(text) {
  const line = text.split(/\s*\n\s*/).filter(Boolean).join(" · ").replaceAll(": · ", ": ");
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1)}…` : line;
}
