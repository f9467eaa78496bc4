// Before the game: who plays, and which game. Games are shown to whoever looks; to join is to log in to one.

import { WATCH, gamesToChoose } from "../core/lobby.js";
import { ACCOUNTS } from "../core/visitor.js";
import { $, counted, h, say, show } from "./dom.js";
import { sentence } from "./notices.js";

/** Of a download every so many things are shown. */
const STEP = 250;
const LOOK_AGAIN = 5_000;

/** A clock that waits for a part of those awaited, and how long after that, in the notes of a game. */
const UNTIL = /^threshold:(\d+):(\d+)$/;

/**
 * Into a game without a free seat, or that is over or for invited players, come only those who have a seat. Who that is shows at login.
 * @param {import("../core/lobby.js").Listing} game @returns {"Join"|"Come back"}
 */
function wayInto({ notes, isOver, isClosed }) {
  const [, taken, seats] = notes.map((note) => /^(\d+) of (\d+) seats/.exec(note)).find(Boolean) ?? [];
  return isOver || isClosed || (seats && Number(taken) >= Number(seats)) ? "Come back" : "Join";
}

/** A note in words if it tells how turns end; "" where that is told already. */
function clockWords(note) {
  const [, percent, seconds] = UNTIL.exec(note) ?? [];
  if (percent) return `a turn ends ${duration(Number(seconds))} after ${percent} % are done`;
  if (/^interval:\d+$/.test(note)) return "";
  return { "all-done": "a turn ends when all are done", manual: "the operator ends turns" }[note] ?? note;
}

export class Lobby {
  #page;
  #timer = 0;
  #busy = false;
  /** @type {import("../core/lobby.js").Listing[]} */
  games = [];
  /** The games between which this player has to choose, in the server's words; null: nobody has logged in. */
  #choice = null;

  /** @param {Object} page `player`, `enter(user, password, game)`, `reading` */
  constructor(page) {
    this.#page = page;
    $("login").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#join(this.games.length === 1 ? this.games[0].name : "");
    });
    $("register").addEventListener("click", () => this.#register());
    $("other-name").addEventListener("click", () => {
      this.#choose(null);
      $("user").focus();
    });
  }

  /** Show the games from now on. @param {string} problem why the player is here again, "" if there is no reason */
  open(problem = "") {
    say($("login-problem"), problem);
    $("lobby").hidden = false;
    this.#choose(null);
    this.#look();
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    $("lobby").hidden = true;
  }

  async #look() {
    clearTimeout(this.#timer);
    try {
      const { player } = this.#page;
      const [games, features] = await Promise.all([player.games(), player.features().catch(() => [])]);
      this.games = games;
      $("register").hidden = !features.includes(ACCOUNTS);
      if ($("lobby").hidden) return;
      this.#draw();
      say($("games-note"), this.#note());
    } catch (error) {
      say($("games-note"), sentence(error));
      show($("games"));
      delete $("games").dataset.key; // the same games are drawn again when the server is back
    }
    if (!$("lobby").hidden) this.#timer = setTimeout(() => this.#look(), LOOK_AGAIN);
  }

  #note() {
    const none = "There are no games yet. The operator of the server makes them.";
    if (!this.#choice) return this.games.length ? "" : none;
    if (!this.games.length) return `Your name and password are right, ${$("user").value.trim()}. ${none}`;
    const mine = this.games.filter((game) => this.#choice.includes(game.name));
    return `Your name and password are right, ${$("user").value.trim()}. Choose the game that you want to go into${mine.length ? ":" : "."}`;
  }

  /** Whoever has given a name and a password that are right is not asked for them again, but for a game. */
  #choose(names) {
    this.#choice = names;
    $("login-card").hidden = names !== null;
    $("other-name").hidden = names === null;
    this.#draw();
    say($("games-note"), names || this.games.length ? this.#note() : "Asking the server…");
    if (!names) return;
    $("games-title").focus();
    $("games-title").scrollIntoView({ block: "nearest" });
  }

  #draw() {
    const key = JSON.stringify([this.games, this.#choice]);
    // The focus goes back to the button that opened the rules, so that has to stay as long as they are open.
    if ($("games").dataset.key === key || $("help").open) return;
    $("games").dataset.key = key;
    const [focused] = Object.entries({ ...document.activeElement?.dataset }).filter(([name]) => ["game", "watch", "rules"].includes(name));
    const isMeant = (game) => this.#choice?.includes(game.name) ?? false;
    const games = [...this.games.filter(isMeant), ...this.games.filter((game) => !isMeant(game))];
    show($("games"), games.map((game) => this.#entry(game, isMeant(game))));
    if (focused) document.querySelector(`[data-${focused[0]}="${CSS.escape(focused[1])}"]`)?.focus();
  }

  #entry(game, isMeant) {
    const facts = [
      game.notes[0],
      game.turn === null ? "" : `turn ${game.turn}`,
      game.players === null || game.notes.some((note) => note.includes("seats")) ? "" : counted(game.players, "player"),
      game.connected === null ? "" : game.connected ? `${game.connected} here now` : "nobody here now",
      game.deadline === null ? "" : `next turn ${new Date(game.deadline).toLocaleString()}`,
      game.pause === null || game.notes.some((note) => UNTIL.test(note)) ? "" : `a turn every ${duration(game.pause)}`,
      ...game.notes.slice(1).map(clockWords),
    ].filter(Boolean);
    const way = wayInto(game);
    return h(
      "li",
      { class: isMeant ? "game meant" : "game" },
      h("div", {}, h("h3", { text: game.title }), h("p", { class: "ruleset", text: game.ruleset }), h("p", { class: "hint", text: facts.join(" · ") })),
      h(
        "div",
        { class: "ways" },
        h("button", { type: "button", "data-game": game.name, "aria-label": `${way}${way === "Join" ? "" : " to"} ${game.title}`, title: way === "Join" ? null : "For those who have a seat", onclick: () => this.#join(game.name), text: way }),
        !game.isClosed && h("button", { type: "button", class: "quiet", "data-watch": game.name, "aria-label": `Watch ${game.title}`, onclick: () => this.#join(game.name + WATCH), text: "Watch" }),
        h("button", { type: "button", class: "quiet", "data-rules": game.name, "aria-label": `Rules of ${game.title}`, "aria-haspopup": "dialog", onclick: () => this.#page.reading.read(() => this.#page.player.rules(game.ruleset, game.version)), text: "Rules" }),
      ),
    );
  }

  #credentials() {
    const [user, password] = [$("user").value.trim(), $("password").value];
    if (user && password) return { user, password };
    say($("login-problem"), user ? "Type a password." : "Type a name and a password first.");
    $(user ? "password" : "user").focus();
    return null;
  }

  async #join(game) {
    const who = this.#credentials();
    if (!who || this.#busy) return;
    await this.#work(() => this.#page.enter(who.user, who.password, game));
  }

  async #register() {
    const who = this.#credentials();
    if (!who || this.#busy) return;
    await this.#work(async () => {
      const words = await this.#page.player.createAccount(who.user, who.password);
      say($("progress"), words || "The account is made.");
      if (this.games.length === 1) await this.#page.enter(who.user, who.password, this.games[0].name);
      else if (this.games.length) say($("progress"), `${words || "The account is made."} Now join a game.`);
    });
  }

  async #work(call) {
    this.#busy = true;
    say($("login-problem"), "");
    try {
      await call();
    } catch (error) {
      say($("progress"), "");
      const names = gamesToChoose(error);
      if (names) this.#choose(names);
      else {
        this.#choose(null);
        say($("login-problem"), sentence(error));
      }
    } finally {
      this.#busy = false;
      $("progress-bar").hidden = true;
    }
  }
}

/** Show how far the download is. */
export function progress(done, total) {
  if (done < total && done % STEP) return;
  const bar = $("progress-bar");
  bar.hidden = done >= total;
  bar.max = Math.max(total, 1);
  bar.value = done;
  say($("progress"), total > 200 && done < total ? `Downloading ${total} things…` : "");
}

/** Seconds in words. */
export function duration(seconds) {
  if (seconds < 100) return counted(seconds, "second");
  if (seconds < 6000) return counted(Math.round(seconds / 60), "minute");
  if (seconds < 172800) return counted(Math.round(seconds / 3600), "hour");
  return counted(Math.round(seconds / 86400), "day");
}
