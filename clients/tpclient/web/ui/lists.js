// The map as lists: players, actions of my objects, and a table of places.

import { capital } from "../core/appearance.js";
import { NOBODY } from "../core/objects.js";
import { plainText } from "../core/typed.js";
import { WORDS, listed } from "../words.js";
import { $, h, renew, settled } from "./dom.js";
import { pileWords, pilesOf, playerClass, thingWords } from "./marks.js";
import { lookOfThing } from "./pictures.js";
import { lookPicture } from "./shapes.js";

const MOST_ROWS = 150;

/** My objects that take orders now, are named by some, or have some. @returns {Object[]} by rising id */
export function takers({ player, legal }) {
  const { universe } = player;
  const { acting } = legal;
  return universe.own().filter((thing) => acting.has(thing.id) || universe.offers(thing).length || player.queued(thing.queue).length);
}

/** The race of players who are no bots: that they are people tells nobody anything. */
const HUMAN = "Human";
const isTold = ({ race, name }) => race !== "" && race !== name && race !== HUMAN;

/** The tab with all players and my pieces. It is made only where it is seen: there can be thousands of pieces. */
export class Mine {
  #page;
  #isShown = false;

  constructor(page) {
    this.#page = page;
  }

  shown(isShown) {
    this.#isShown = isShown;
    this.update();
  }

  update() {
    if (!this.#isShown) return;
    const { player } = this.#page;
    const { universe } = player;
    const waiting = new Set(player.clock?.waiting ?? []);
    const players = [...universe.players.values()].map((one) =>
      h("li", { class: playerClass(universe, one.id) }, h("b", { class: "seat", text: String(one.id) }), h("span", { text: one.id === universe.me ? WORDS.common.you({ name: one.name }) : one.name }), isTold(one) && h("span", { class: "hint", text: one.race }), waiting.has(one.id) && h("span", { class: "awaited", text: WORDS.players.awaited }), this.#page.clockBox.bankWords(one.id) && h("span", { class: "hint", text: this.#page.clockBox.bankWords(one.id) }), this.#page.seatBox?.wordsOf(one.id) && h("span", { class: "hint", text: this.#page.seatBox.wordsOf(one.id) }), this.#scores(one)),
    );
    const { acting } = this.#page.legal;
    const own = takers(this.#page).map((thing) => {
      const count = player.queued(thing.queue).length;
      const look = lookOfThing(universe, thing);
      const place = universe.objects.get(thing.parent);
      return h(
        "li",
        {},
        h("button", { type: "button", class: "row-button", "data-object": thing.id, onclick: () => this.#page.select(thing.id) }, lookPicture(look), h("span", {}, h("strong", {}, thingWords(universe, thing), acting.has(thing.id) && h("em", { class: "able", text: WORDS.players.canAct })), h("span", { class: "hint", text: place ? `${universe.objectName(place.id)}` : "" })), h("span", { class: count ? "has" : "hint", text: count ? WORDS.players.orders({ count }) : offersOf(this.#page, thing).slice(0, 3).join(", ") })),
      );
    });
    renew(
      $("panel-mine"),
      h("h2", { text: WORDS.common.players }),
      h("ul", { class: "players" }, players),
      (player.over || universe.standing?.scores.size > 0) && h("button", { type: "button", "aria-haspopup": "dialog", onclick: () => this.#page.ending.open(), text: player.over ? WORDS.players.ending : WORDS.players.scores }),
      this.#page.clockBox.parts(),
      this.#page.seatBox?.parts() ?? [],
      !player.isWatching && h("button", { type: "button", "aria-haspopup": "dialog", onclick: () => this.#page.openAgreements(), text: WORDS.agreements.title }),
      h("h2", { text: WORDS.players.takers }),
      own.length ? h("ul", { class: "own" }, own) : h("p", { class: "hint", text: WORDS.players.noTakers }),
    );
  }

  /** How a player stands, as the game tells it, and how many actions are left. */
  #scores(player) {
    const { universe } = this.#page.player;
    const { standing } = universe;
    const figures = standing?.scores.get(player.id) ?? [];
    if (!figures.length) return this.#homes(universe, player);
    const usage = player.id === universe.me && standing.actions && WORDS.players.actions(standing.actions);
    return h(
      "span",
      { class: "scores" },
      figures.map(({ name, number }) => h("span", { class: "score" }, `${name} `, h("b", { text: String(number) }))),
      usage && h("span", { class: "score actions" }, usage[0], h("b", { text: usage[1] }), usage[2]),
    );
  }

  /** The resources of the objects at the top of what a player owns that tell most: how it stands. */
  #homes(universe, player) {
    const [home] = universe.where((thing) => thing.owner === player.id && thing.resources.size > 0 && thing.ships.size === 0);
    if (!home) return null;
    const rows = [...home.resources].filter(([, { total }]) => total).slice(0, 8).map(([id, { stored, minable, unavailable }]) => h("span", { class: "score" }, `${capital(universe.resourceName(id, 2))} `, h("b", { text: String(stored) }), minable || unavailable ? `/${stored + minable + unavailable}` : ""));
    return h("button", { type: "button", class: "link scores", "data-object": home.id, title: universe.objectName(home.id), onclick: () => this.#page.select(home.id) }, rows);
  }
}

/** What orders of a piece are called; of one that has no queue, those that name it. */
function offersOf({ player, acting }, thing) {
  return (thing.queue ? player.universe.offers(thing) : acting.named(thing).map((draft) => draft.kind)).map((kind) => player.universe.orderName(kind));
}

/** The tab with a table of all places. */
export class Places {
  #page;
  #filter = h("input", { id: "place-filter", type: "search", placeholder: WORDS.places.filterExample });
  #body = h("tbody");
  #more = h("button", { type: "button", hidden: true, onclick: () => this.#grow() });
  #count = h("p", { class: "hint", role: "status" });
  #rows = MOST_ROWS;
  #isShown = false;

  constructor(page) {
    this.#page = page;
    this.#filter.addEventListener("input", settled(() => this.update(), 150));
    $("panel-list").append(
      h("h2", { class: "unseen", text: WORDS.places.title }),
      h("label", { for: "place-filter", text: WORDS.places.filter }),
      this.#filter,
      this.#count,
      h("table", { class: "places" }, h("caption", { class: "unseen", text: WORDS.places.caption }), h("thead", {}, h("tr", {}, [WORDS.common.place, WORDS.places.owners, WORDS.places.there].map((text) => h("th", { scope: "col", text })))), this.#body),
      this.#more,
    );
  }

  shown(isShown) {
    this.#isShown = isShown;
    if (isShown) this.update();
  }

  update() {
    if (!this.#isShown) return;
    const { map, player } = this.#page;
    const { universe } = player;
    const wanted = plainText(this.#filter.value).toLowerCase();
    const rows = [];
    for (const board of map.map?.boards ?? []) {
      for (const icon of board.icons) {
        const row = { id: icon.thing.id, name: universe.objectName(icon.thing.id), board: board.thing.name, owners: icon.owners.map((id) => (id === universe.me ? WORDS.common.yourself : universe.playerName(id))), there: this.#there(universe, map, icon) };
        if (!wanted || `${row.name} ${row.board} ${row.owners.join(" ")} ${row.there.join(" ")}`.toLowerCase().includes(wanted)) rows.push(row);
      }
    }
    const boards = map.map?.boards.length ?? 0;
    renew(
      this.#body,
      rows.slice(0, this.#rows).map(({ id, name, board, owners, there }) =>
        h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link", "data-object": id, onclick: () => this.#page.select(id), text: name }), boards > 1 && h("span", { class: "hint", text: ` ${board}` })), h("td", { text: listed(owners) || WORDS.common.nobody }), h("td", { text: there.join(", ") })),
      ),
    );
    this.#count.textContent = WORDS.places.count({ count: rows.length, shown: this.#rows });
    this.#more.hidden = rows.length <= this.#rows;
    this.#more.textContent = WORDS.places.more;
  }

  #grow() {
    this.#rows += MOST_ROWS;
    this.update();
  }

  /** In the normal view the pieces, in the resource view the amounts. */
  #there(universe, map, icon) {
    if (map.view === "resource") return [...icon.amounts].map(([id, amount]) => universe.amountWords(id, amount));
    return pilesOf(universe, map.members(icon.thing.id)).map((pile) => pileWords(universe, { ...pile, owner: NOBODY }));
  }
}
