// The games of the account as cards, and the next game that waits.

import { byUrgency } from "../core/home.js";
import { WORDS } from "../words.js";
import { $, h, moment, say, settled, show } from "./dom.js";
import { note, sentence } from "./toasts.js";

const LOOK_AGAIN = 30_000;

/** How a game stands for its player, in words. @param {import("../core/home.js").OwnGame} game */
function standing(game) {
  const { state, seats, deadline, isAwaited, isComputing, turnName, turn } = game;
  const open = seats.filter((seat) => !seat.name).length;
  if (state === "waiting") return WORDS.games.waiting({ free: open });
  if (state === "over") return turnName || WORDS.games.over;
  if (state === "held") return WORDS.games.suspended;
  if (state === "paused") return WORDS.games.paused;
  if (isComputing) return WORDS.games.computing;
  const others = seats.filter((seat) => seat.isAwaited && !seat.isMine).map((seat) => seat.name);
  return WORDS.games.awaited({ isAwaited, others, until: deadline === null ? "" : moment(deadline), turnName, turn });
}

/** What is new in a game since its player looked last, "" if nothing is. @param {import("../core/home.js").OwnGame} game */
function newsOf({ newTurns, newLetters }) {
  return WORDS.games.news({ turns: newTurns, messages: newLetters });
}

/** A card of a game. @param {import("../core/home.js").OwnGame} game @param {() => void} enter @param {() => void} read the rules */
export function ownGame(game, enter, read) {
  const way = game.isOver || game.state === "waiting" ? WORDS.games.look : game.isAwaited ? WORDS.games.play : WORDS.games.open;
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
      h("ul", { class: "seats", "aria-label": WORDS.common.players }, game.seats.map((seat) => h("li", { class: seat.isAwaited ? "due" : null, text: seat.isMine ? WORDS.common.yourself : seat.name ? (seat.isBot ? WORDS.common.bot({ name: seat.name }) : seat.name) : WORDS.common.free }))),
    ),
    h(
      "div",
      { class: "ways" },
      h("button", { type: "button", class: game.isAwaited ? "primary" : null, "data-game": game.name, "aria-label": WORDS.games.enter({ way, name: game.name }), onclick: enter, text: way }),
      h("button", { type: "button", class: "quiet", "data-rules": game.name, "aria-label": WORDS.common.rulesOf({ name: game.name }), "aria-haspopup": "dialog", onclick: read, text: WORDS.common.rules }),
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
      say($("next-game"), waiting.length > 1 ? WORDS.games.nextOf({ count: waiting.length }) : WORDS.games.next);
      $("next-game").title = WORDS.games.waitsForYou({ name: this.#next });
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
      h("span", { text: WORDS.games.login({ label: login.label, isHere: login.isHere, created: day(login.created), used: day(login.used) }) }),
      h("button", { type: "button", "aria-label": WORDS.games.logOutOf({ label: login.label }), onclick: () => revoke(login.id), text: WORDS.games.logOut }),
    )) : h("li", { text: WORDS.games.noLogins }),
    logins.length > 1 && h("li", {}, h("button", { type: "button", onclick: () => revoke(0), text: WORDS.games.logOutEverywhere })),
  );
}
