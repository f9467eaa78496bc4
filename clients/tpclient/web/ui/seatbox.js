// Who plays and who is away: among the players, and in a dialog where one says that one is here, leaves turns to the bot,
// and, of a game that one has made, decides about absent players. It is loaded when a game is shown.

import { capital } from "../core/appearance.js";
import { keptWords, readSeats, seatWords } from "../core/seats.js";
import { $, h, moment, say, settled, show } from "./dom.js";
import { note, sentence } from "./toasts.js";

export class SeatBox {
  #page;
  /** The newest that was told; null as long as nothing is, and of a server that does not tell it. */
  #told = null;
  #universe = null;
  /** The game in which it was said already that it does not wait for us. */
  #warned = "";
  /** It is asked when the time is told, which comes for each player who is done. */
  look = settled(() => this.#look(), 200);
  #problem = h("p", { class: "problem", role: "alert" });
  #list = h("ul", { class: "players" });
  #own = h("div", { class: "row" });
  #policy = h("div");
  #dialog = h(
    "dialog",
    { id: "seats-dialog", "aria-labelledby": "seats-title" },
    h("h2", { id: "seats-title", text: "Who plays" }),
    this.#list,
    this.#own,
    this.#policy,
    this.#problem,
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#dialog.close(), text: "Close" })),
  );

  /** @param {Object} page `player`, `seatsTold()` */
  constructor(page) {
    this.#page = page;
    document.body.append(this.#dialog);
  }

  /** Another game is shown. */
  reset() {
    this.#told = null;
    this.#dialog.close();
    this.look();
  }

  async #look() {
    const { player } = this.#page;
    const { universe } = player;
    const told = await player.askOne("getSeats", {}, "seats").then(readSeats).catch(() => null);
    if (universe !== player.universe || $("game").hidden) return;
    this.#told = told;
    this.#universe = universe;
    const { game } = told ?? {};
    if (!this.#isMissing) this.#warned = "";
    else if (this.#warned !== game) {
      this.#warned = game;
      note(told.rollEnds ? `The game begins when all have said that they are here. Say so under Players until ${moment(told.rollEnds)}, or you lose your seat.` : "The game does not wait for you any more, as you have missed turns. Give an order, or say under Players that you are here.", "bad");
    }
    if (this.#dialog.open) this.#draw();
    this.#page.seatsTold();
  }

  /** Our seat; undefined for whoever watches. */
  get #mine() {
    const { player } = this.#page;
    return player.isWatching ? undefined : this.#told?.seats.find((one) => one.player === this.#universe?.me);
  }

  /** Whether it helps that we say that we are here. */
  get #isMissing() {
    const mine = this.#mine;
    return Boolean(mine && (mine.isAbsent || (this.#told.rollEnds && !mine.isHere)));
  }

  /** What is told of a player, "" if nothing is. @param {number} id */
  wordsOf(id) {
    const seat = this.#told?.seats.find((one) => one.player === id);
    return seat ? seatWords(seat) : "";
  }

  /** What stands among the players. @returns {(HTMLElement|false)[]} */
  parts() {
    if (!this.#told?.words) return [];
    const mine = this.#mine;
    return [
      h("h2", { text: "Absent players" }),
      h("p", { id: "seats-words", text: `${capital(this.#told.words)}.` }),
      (this.#isMissing || mine?.autopilot > 0) && h("button", { type: "button", class: "primary", onclick: () => this.#sayHere(), text: "I am here" }),
      h("button", { type: "button", id: "seats-open", "aria-haspopup": "dialog", onclick: () => this.#open(), text: "Who is away" }),
    ];
  }

  #open() {
    say(this.#problem, "");
    this.#draw();
    this.#dialog.showModal();
    this.look();
  }

  #draw() {
    const { seats, isOwned, hasBot, policy } = this.#told;
    const mine = this.#mine;
    show(this.#list, seats.map((seat) => h(
      "li",
      {},
      h("b", { class: "seat", text: String(seat.player) }),
      h("span", { text: `${seat.name || "free"}${seat === mine ? " (you)" : seat.isBot ? " (bot)" : ""}` }),
      seat.isAwaited && h("span", { class: "awaited", text: "awaited" }),
      h("span", { class: "hint", text: [seatWords(seat), keptWords(seat)].filter(Boolean).join("; ") }),
      isOwned && seat !== mine && Boolean(seat.name) && !seat.seeks && h("button", { type: "button", "aria-label": `${seat.isBot ? "Offer the seat of" : "Remove"} ${seat.name}`, onclick: () => this.#remove(seat), text: seat.isBot ? "Offer" : "Remove" }),
    )));
    // What somebody is typing stays.
    if (this.#own.contains(document.activeElement) || this.#policy.contains(document.activeElement)) return;
    show(this.#own, mine ? this.#ownParts(mine, hasBot) : null);
    show(this.#policy, isOwned ? this.#form(policy, hasBot) : h("p", { class: "hint", text: `${capital(this.#told.words)}.` }));
  }

  #ownParts(mine, hasBot) {
    const turns = h("input", { id: "seats-turns", type: "number", min: "1", max: "100", value: String(mine.autopilot || 3) });
    return [
      (this.#isMissing || mine.autopilot > 0) && h("button", { type: "button", class: "primary", onclick: () => this.#sayHere(), text: mine.autopilot ? "Play myself" : "I am here" }),
      hasBot && h("label", { for: "seats-turns", text: "Turns that the bot plays for me" }),
      hasBot && turns,
      hasBot && h("button", { type: "button", onclick: () => this.#do("setAutopilot", { turns: Number(turns.value) }), text: "Leave them to the bot" }),
    ];
  }

  /** @param {import("../core/seats.js").SeatPolicy} policy */
  #form(policy, hasBot) {
    const number = (id, value) => h("input", { id, type: "number", min: "0", max: "100", value: String(value) });
    const after = number("seats-after", policy.absentAfter);
    const reliability = number("seats-reliability", policy.reliability);
    const absent = h("select", { id: "seats-absent" }, h("option", { value: "rules", text: "the rules, as for whoever gives no orders" }), (hasBot || policy.absent === "bot") && h("option", { value: "bot", text: "the bot of the rules" }));
    absent.value = policy.absent;
    const seeks = h("input", { id: "seats-seek", type: "checkbox", checked: policy.seeks });
    const submit = (event) => {
      event.preventDefault();
      const wanted = { absentAfter: Number(after.value), absent: absent.value, seeks: seeks.checked, reliability: Number(reliability.value), rollCall: policy.rollCall };
      this.#do("setSeatPolicy", { game: this.#told.game, policy: wanted });
    };
    return h(
      "form",
      { class: "making", novalidate: "", onsubmit: submit },
      h("label", { for: "seats-after", text: "Turns missed in a row after which the game does not wait (0: it waits for all)" }),
      after,
      h("label", { for: "seats-absent", text: "Then plays" }),
      absent,
      h("label", { for: "seats-seek", text: "Others can take the seat" }),
      seeks,
      h("label", { for: "seats-reliability", text: "Who joins has kept so many percent of the turns" }),
      reliability,
      h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: "Decide" })),
    );
  }

  #sayHere() {
    this.#do("sayHere", {});
  }

  #remove(seat) {
    if (seat.isBot || confirm(`Remove ${seat.name} from the game? Somebody else can take the seat then.`)) this.#do("removePlayer", { game: this.#told.game, player: seat.player });
  }

  async #do(kind, body) {
    say(this.#problem, "");
    try {
      const { result } = await this.#page.player.askOne(kind, body, "okay");
      note(`${(result ?? "").replace(/\.$/, "")}.`, "good");
      document.activeElement?.blur();
      this.look();
    } catch (error) {
      if (this.#dialog.open) say(this.#problem, sentence(error));
      else note(sentence(error), "bad");
    }
  }
}

/** The seats that seek somebody, as entries of the list of games. @param {Object[]} seats see readOpenSeats @param {((seat: Object) => void)|null} take null: nobody is logged in */
export const openSeatEntries = (seats, take) => seats.map((seat) => h(
  "li",
  { class: "game" },
  h("div", {}, h("h3", { text: seat.game }), h("p", { class: "ruleset", text: seat.title }), h("p", { class: "hint", text: [`turn ${seat.turn}`, `seat ${seat.player}, until now ${seat.isBot ? "a bot's" : `of ${seat.name}`}`, seat.reliability ? `for players who keep ${seat.reliability} % of their turns` : ""].filter(Boolean).join(" · ") })),
  h("div", { class: "ways" }, take && h("button", { type: "button", "data-seat": `${seat.game} ${seat.player}`, "aria-label": `Take seat ${seat.player} of ${seat.game}`, onclick: () => take(seat), text: "Take the seat" })),
));
