// The turn: its name, the time that is left, who is awaited, what its button does, and how it ended.

import { secondsLeft } from "../core/clock.js";
import { $, h, listed, say, show } from "./dom.js";
import { duration } from "./lobby.js";
import { tell } from "./notices.js";

/** Of the last turn so many reports are shown beside the end. */
const MOST_LAST = 20;
/** A line of a final table: place, name, figures. */
const PLACE = /^\s*(\d+)\.\s+([^:]{1,200}):\s*(.*)$/;

export class TurnBox {
  #page;
  #turn = 0;

  /** @param {Object} page `player`, `legal`, `turnNames`, `story` */
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
    say($("time"), over || clock.computing ? "" : left === null ? "no deadline" : `${duration(left)} left`);
    $("time").classList.toggle("short", left !== null && left < 60);
  }

  /** The last words of the game: the report of the end with the places, then what else happened in its last turn. */
  showEnding() {
    const { player, story } = this.#page;
    this.update();
    const own = player.messages.filter((one) => !one.from);
    const turn = own.reduce((latest, one) => Math.max(latest, one.turn), 0);
    // The server keeps the last reports even if the messages were removed.
    const kept = story.cards.find(({ reports }) => reports.length);
    const reports = kept && kept.turn >= turn ? kept.reports : own.filter((one) => one.turn === turn);
    const last = reports.findLast((one) => /game over|is over|won|winner|final/i.test(`${one.subject} ${one.body}`));
    const others = reports.filter((one) => one !== last);
    say($("ending-title"), last?.subject || "The game is over");
    // The name of the last turn tells who has won; a game may have nothing to add to that.
    const name = player.clock?.name;
    show(
      $("ending-text"),
      name && name !== last?.subject && h("p", {}, h("strong", { text: name })),
      last?.body && tableOf(last.body),
      others.length > 0 && h("details", { class: "more" }, h("summary", { text: "What happened last" }), others.slice(0, MOST_LAST).map((one) => h("p", {}, h("strong", { text: one.subject }), one.body && ` ${one.body}`))),
    );
    if (!$("ending").open) $("ending").showModal();
  }
}

/** The words of a report, with the lines that tell a place ("1. ann: Score 12") as rows of a table. */
function tableOf(body) {
  const parts = [];
  for (const line of body.split("\n")) {
    const [, place, name, figures] = PLACE.exec(line) ?? [];
    if (place === undefined) {
      if (line.trim()) parts.push(h("p", { text: line }));
      continue;
    }
    if (parts.at(-1)?.tagName !== "TABLE") parts.push(h("table", { class: "ranking" }, h("tbody")));
    parts.at(-1).tBodies[0].append(h("tr", { class: place === "1" ? "first" : null }, h("td", { text: `${place}.` }), h("th", { scope: "row", text: name }), h("td", { text: figures })));
  }
  return parts;
}
