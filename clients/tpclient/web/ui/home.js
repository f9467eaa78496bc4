// The games of whoever is logged in: as cards, and from inside of a game the next one that waits.

import { byUrgency } from "../core/home.js";
import { $, counted, h, moment, say, settled, show } from "./dom.js";
import { note, sentence } from "./toasts.js";

const LOOK_AGAIN = 30_000;

/** How a game stands for its player, in words. @param {import("../core/home.js").OwnGame} game */
function standing(game) {
  const { state, seats, deadline, isAwaited, isComputing, turnName, turn } = game;
  const open = seats.filter((seat) => !seat.name).length;
  if (state === "waiting") return `Not begun: ${open ? `${counted(open, "seat is", "seats are")} free` : "it begins soon"}`;
  if (state === "over") return turnName || "Over";
  if (state === "held") return "Held: the operator has to look after it";
  if (state === "paused") return "Paused by the operator";
  if (isComputing) return "The turn is being computed";
  const until = deadline === null ? "" : `, until ${moment(deadline)}`;
  const others = seats.filter((seat) => seat.isAwaited && !seat.isMine).map((seat) => seat.name);
  const who = isAwaited ? "Your turn" : others.length ? `Waiting for ${others.join(", ")}` : "Nobody is awaited";
  return `${who}${until} · ${turnName || `turn ${turn}`}`;
}

/** What is new in a game since its player looked last, "" if nothing is. @param {import("../core/home.js").OwnGame} game */
function newsOf({ newTurns, newLetters }) {
  return [newTurns && counted(newTurns, "new turn"), newLetters && counted(newLetters, "message")].filter(Boolean).join(", ");
}

/** A card of a game. @param {import("../core/home.js").OwnGame} game @param {() => void} enter @param {() => void} read the rules */
export function ownGame(game, enter, read) {
  const way = game.isOver || game.state === "waiting" ? "Look" : game.isAwaited ? "Play" : "Open";
  return h(
    "li",
    { class: game.isAwaited ? "game waits" : "game" },
    h(
      "div",
      {},
      h("h3", { text: game.name }),
      h("p", { class: "ruleset", text: game.title }),
      h("p", { class: "standing", text: standing(game) }),
      newsOf(game) && h("p", { class: "fresh", text: newsOf(game) }),
      h("ul", { class: "seats", "aria-label": "Players" }, game.seats.map((seat) => h("li", { class: seat.isAwaited ? "due" : null, text: seat.isMine ? "you" : seat.name ? `${seat.name}${seat.isBot ? " (bot)" : ""}` : "free" }))),
    ),
    h(
      "div",
      { class: "ways" },
      h("button", { type: "button", class: game.isAwaited ? "primary" : null, "data-game": game.name, "aria-label": `${way} ${game.name}`, onclick: enter, text: way }),
      h("button", { type: "button", class: "quiet", "data-rules": game.name, "aria-label": `Rules of ${game.name}`, "aria-haspopup": "dialog", onclick: read, text: "Rules" }),
    ),
  );
}

/** From inside of a game: the button to the next one that waits for its player. */
export class Home {
  #page;
  #timer = 0;
  #next = "";
  /** Whether it is still to be told what was new in this game as its player came. */
  #isArriving = false;

  /** @param {Object} page `player`, `making`, `moveTo(game)`, `goHome()`, `cameBack(game)` */
  constructor(page) {
    this.#page = page;
    $("next-game").addEventListener("click", () => this.#go());
  }

  /** Look from now on. */
  follow() {
    this.unfollow();
    this.#isArriving = true;
    this.look();
  }

  unfollow() {
    clearTimeout(this.#timer);
    this.lookSoon.cancel();
    this.#next = "";
    $("next-game").hidden = true;
  }

  /** Look when nothing has been finished and no turn has begun for a moment: often one follows the other. */
  lookSoon = settled(() => this.look(), 300);

  /** Look which games wait. Not to know it harms nobody. */
  async look() {
    clearTimeout(this.#timer);
    const { player } = this.#page;
    const games = await player.ownGames().catch(() => []);
    if ($("game").hidden) return;
    const here = player.listing?.name ?? player.game;
    const mine = games.find((game) => game.name === here);
    this.#page.making.offer(mine);
    if (mine && this.#isArriving && !player.isWatching) {
      this.#isArriving = false;
      this.#page.cameBack(mine);
    }
    const waiting = byUrgency(games).filter((game) => game.isAwaited && game.name !== here);
    this.#next = waiting[0]?.name ?? "";
    $("next-game").hidden = !waiting.length;
    if (waiting.length) {
      say($("next-game"), waiting.length > 1 ? `Next game (${waiting.length})` : "Next game");
      $("next-game").title = `${this.#next} waits for you`;
    }
    clearTimeout(this.#timer);
    if (games.length > 1) this.#timer = setTimeout(() => this.look(), LOOK_AGAIN);
  }

  async #go() {
    const name = this.#next;
    if (!name) return;
    $("next-game").disabled = true;
    try {
      await this.#page.moveTo(name);
    } catch (error) {
      this.#page.goHome();
      note(sentence(error), "bad");
    } finally {
      $("next-game").disabled = false;
    }
  }
}

/** Show where somebody is logged in. @param {Object[]} logins see readKeptLogins @param {(id: number) => void} revoke */
export function showLogins(logins, revoke) {
  const day = (time) => new Date(time).toLocaleDateString([], { dateStyle: "medium" });
  show(
    $("kept-logins"),
    logins.length ? logins.map((login) => h(
      "li",
      {},
      h("span", { text: `${login.label || "A browser"}${login.isHere ? ", this one" : ""}: since ${day(login.created)}, last used ${day(login.used)}` }),
      h("button", { type: "button", "aria-label": `Log out ${login.label}`, onclick: () => revoke(login.id), text: "Log out" }),
    )) : h("li", { text: "Nowhere for longer than a tab is open." }),
    logins.length > 1 && h("li", {}, h("button", { type: "button", onclick: () => revoke(0), text: "Log out everywhere" })),
  );
}
