// A card for the first turn: the goal, who can act, what to choose next, and what it means to finish. It is made of what
// the game declares, and gone for good when the player closes it or the turn is over.

import { actors, finishWords, isAwaited, isEarly, orderTitle, ordersGiven } from "../core/guidance.js";
import { $, counted, h, listed, say, show } from "./dom.js";
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
    show($("guide"), isShown ? this.#card() : []);
    if (focused) $("guide").querySelector(`[data-guide="${focused}"]`)?.focus();
    say($("guide-news"), isShown ? "This is your first turn. A card before the details says how it goes." : "");
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
    return JSON.stringify([this.#game, this.#page.legal.isKnown, rules?.goal, able, selected, hasOrdered, ordersGiven(player), finishWords(player, listed, this.#page.clockBox.clock?.waits)]);
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
    const item = (number, ...children) => h("li", { "aria-current": number === step ? "step" : null }, children);
    return [
      h("h2", { id: "guide-title", text: "Your first turn" }),
      h("button", { type: "button", class: "close", "aria-label": "Close this guide", "data-guide": "close", onclick: () => this.#close(), text: "×" }),
      rules?.goal && h("p", { class: "hint", text: rules.goal }),
      h(
        "ol",
        {},
        able.length
          ? item(1, h("p", {}, h("strong", { text: "You are awaited." }), able.length > 1 || able[0].things.length > 1 ? " Choose one that can act:" : " This takes your orders:"), h("div", { class: "offers" }, able.slice(0, MOST_ACTORS).map((one, at) => this.#actor(universe, one, at, one === chosen))), able.length > MOST_ACTORS && h("p", { class: "hint", text: `and ${able.length - MOST_ACTORS} more in the tab Players.` }))
          : item(1, h("p", {}, h("strong", { text: "You are awaited," }), " but nothing of yours takes an order this turn.")),
        able.length > 0 && item(2, h("p", {}, "Choose an order", chosen ? `: ${listed(universe.offers(universe.objects.get(selected)).slice(0, MOST_ORDERS).map((kind) => orderTitle(kind, universe)))}. ` : ". Fill in what it asks for, and give it. ", chosen && h("button", { type: "button", class: "link", "data-guide": "orders", onclick: () => this.#page.orders(), text: "Go to the orders" }), this.#page.legal.isKnown && " Quicker: click a place that is lit for it."), hasOrdered && h("p", { class: "done", text: `${counted(ordersGiven(player), "order")} given. You can give more, change them or take them back.` })),
        item(3, h("p", {}, "Press ", h("strong", { text: "Finish turn" }), `: you are done, and what you have ordered is carried out when the turn ends. ${finishWords(player, listed, this.#page.clockBox.clock?.waits)}`)),
      ),
    ];
  }

  #actor(universe, { name, things }, at, isChosen) {
    const { player } = this.#page;
    const next = things.find((thing) => !player.queued(thing.queue).length) ?? things[0];
    const count = things.length > 1 ? ` × ${things.length}` : "";
    return h("button", { type: "button", class: "chip", "aria-pressed": String(isChosen), "data-guide": `actor-${at}`, onclick: () => this.#page.select(next.id) }, lookPicture(lookOfThing(universe, next)), `${name}${count}`);
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
