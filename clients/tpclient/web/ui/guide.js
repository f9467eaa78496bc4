// A card for the first turn: goal, pieces that can act, next step, end.
// It uses the declarations of the game. It goes away for good when the player closes it or the turn is over.

import { actors, finishWords, isAwaited, isEarly, orderTitle, ordersGiven } from "../core/guidance.js";
import { WORDS, listed } from "../words.js";
import { $, h, renew, say } from "./dom.js";
import { keep, recalled } from "./memory.js";
import { lookOfThing } from "./pictures.js";
import { lookPicture } from "./shapes.js";

const KEY = "tpclient-first-turns";
/** Games that are remembered, the newest last. */
const MOST_GAMES = 60;
const MOST_ACTORS = 8;
const MOST_ORDERS = 6;
const CLOSED = -1;

export class Guide {
  #page;
  #drawn = "";

  /** @param {Object} page `player`, `legal`, `rules`, `select(id)`, `orders()`, `selected` (id or null), `hasOrdered` */
  constructor(page) {
    this.#page = page;
    $("guide").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#close();
    });
  }

  update() {
    const isShown = this.#isShown();
    const key = isShown ? this.#key() : "";
    if (key === this.#drawn) return;
    this.#drawn = key;
    $("guide").hidden = !isShown;
    const focused = document.activeElement?.dataset?.guide;
    renew($("guide"), ...(isShown ? this.#card() : [])); // keeps a button that is being pressed
    if (focused) $("guide").querySelector(`[data-guide="${focused}"]`)?.focus();
    say($("guide-news"), isShown ? WORDS.guide.isShown : "");
  }

  /** Whether this is the turn in which the player was awaited first, as far as this browser has seen. */
  #isShown() {
    const { player } = this.#page;
    if (player.state !== "playing" || !isAwaited(player)) return false;
    const games = remembered();
    const name = this.#game;
    if (!games.has(name)) {
      remember(games, name, isEarly(player.turn, player.universe.players.size) ? player.turn : CLOSED);
    }
    return games.get(name) === player.turn;
  }

  get #game() {
    const { user, game, listing, universe } = this.#page.player;
    return `${user}@${listing?.name ?? game} ${listing?.created ?? ""} ${universe.me}`;
  }

  /** All that the card shows: it is drawn again only when that changes, for the focus may be in it. */
  #key() {
    const { hasOrdered, player, rules, selected } = this.#page;
    const able = actors(player.universe).map(({ name, things, kinds }) => [name, things.length, things[0].id, kinds.map((kind) => kind.id)]);
    return JSON.stringify([this.#game, player.universe.isNamedAsStored, this.#page.legal.isKnown, rules?.goal, able, selected, hasOrdered, ordersGiven(player), finishWords(player, listed, this.#page.clockBox.clock?.waits)]);
  }

  #close() {
    remember(remembered(), this.#game, CLOSED);
    this.update();
    $("map").focus();
  }

  #card() {
    const { hasOrdered, player, rules, selected } = this.#page;
    const { universe } = player;
    const able = actors(universe);
    const chosen = able.find((one) => one.things.some((thing) => thing.id === selected));
    const step = hasOrdered || !able.length ? 3 : chosen ? 2 : 1;
    const [press, finish, isDone] = WORDS.guide.pressFinish({ effect: finishWords(player, listed, this.#page.clockBox.clock?.waits) });
    const item = (number, ...children) => h("li", { "aria-current": number === step ? "step" : null }, children);
    return [
      h("h2", { id: "guide-title", text: WORDS.guide.title }),
      h("button", { type: "button", class: "close", "aria-label": WORDS.guide.close, "data-guide": "close", onclick: () => this.#close(), text: "×" }),
      h(
        "ol",
        {},
        able.length
          ? item(1, h("p", {}, h("strong", { text: WORDS.guide.yourMove }), " ", WORDS.guide.takers({ count: able.length > 1 ? able.length : able[0].things.length })), h("div", { class: "offers" }, able.slice(0, MOST_ACTORS).map((one, at) => this.#actor(universe, one, at, one === chosen))), able.length > MOST_ACTORS && h("p", { class: "hint", text: WORDS.guide.inTab({ count: able.length - MOST_ACTORS }) }))
          : item(1, h("p", {}, h("strong", { text: WORDS.guide.nothingToDo[0] }), " ", WORDS.guide.nothingToDo[1])),
        able.length > 0 && item(2, h("p", {}, WORDS.guide.chooseOrder({ orders: chosen && universe.offers(universe.objects.get(selected)).slice(0, MOST_ORDERS).map((kind) => orderTitle(kind, universe)) }), chosen && h("button", { type: "button", class: "link", "data-guide": "orders", onclick: () => this.#page.orders(), text: WORDS.guide.toOrders }), this.#page.legal.isKnown && WORDS.guide.quicker), hasOrdered && h("p", { class: "done", text: WORDS.guide.ordersGiven({ count: ordersGiven(player) }) })),
        item(3, h("p", {}, press, h("strong", { text: finish }), isDone)),
      ),
      rules?.goal && h("p", { class: "hint", text: rules.goal }), // last, as it comes later and must not move the buttons
    ];
  }

  #actor(universe, { name, things }, at, isChosen) {
    const { player } = this.#page;
    const next = things.find((thing) => !player.queued(thing.queue).length) ?? things[0];
    const count = things.length > 1 ? ` × ${things.length}` : "";
    return h("button", { type: "button", class: "chip", "aria-pressed": String(isChosen), "data-guide": `actor-${at}`, "data-object": next.id, onclick: () => this.#page.select(next.id) }, lookPicture(lookOfThing(universe, next)), `${name}${count}`);
  }
}

/** Remember of a game the turn in which the player was awaited first, or CLOSED. */
function remember(games, name, turn) {
  games.set(name, turn);
  keep(KEY, JSON.stringify([...games].slice(-MOST_GAMES)));
}

/** By game, the turn in which the player was awaited first, or CLOSED. @returns {Map<string, number>} */
function remembered() {
  try {
    const rows = JSON.parse(recalled(KEY) || "[]");
    return new Map(rows.filter((row) => Array.isArray(row) && typeof row[0] === "string" && Number.isInteger(row[1])));
  } catch {
    return new Map();
  }
}
