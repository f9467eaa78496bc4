// Players and absent players, in the list of players and in a dialog.
// In the dialog, players return or leave turns to the bot, and the owner decides about absent players. Loaded when a
// game is shown.

import { capital } from "../core/appearance.js";
import { keptWords, readSeats, seatWords } from "../core/seats.js";
import { WORDS } from "../words.js";
import { $, h, moment, say, settled, show } from "./dom.js";
import { silenceFields } from "./setup.js";
import { note, sentence } from "./toasts.js";

/** The name of the player of a seat, marked if it is mine or a bot. */
function seatName(seat, isMine) {
  const name = seat.name || WORDS.common.free;
  if (isMine) return WORDS.common.you({ name });
  return seat.isBot ? WORDS.common.bot({ name }) : name;
}

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
    h("h2", { id: "seats-title", text: WORDS.seats.title }),
    this.#list,
    this.#own,
    this.#policy,
    this.#problem,
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#dialog.close(), text: WORDS.common.close })),
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
    const told = await player.requests.getSeats().then(readSeats).catch(() => null);
    if (universe !== player.universe || $("game").hidden) return;
    this.#told = told;
    this.#universe = universe;
    const { game } = told ?? {};
    if (!this.#isMissing) this.#warned = "";
    else if (this.#warned !== game) {
      this.#warned = game;
      note(told.rollEnds ? WORDS.seats.rollCall({ until: moment(told.rollEnds) }) : WORDS.seats.missing, "bad");
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
      h("h2", { text: WORDS.seats.absent }),
      h("p", { id: "seats-words", text: `${capital(this.#told.words)}.` }),
      (this.#isMissing || mine?.autopilot > 0) && h("button", { type: "button", class: "primary", onclick: () => this.#sayHere(), text: WORDS.seats.iAmHere }),
      h("button", { type: "button", id: "seats-open", "aria-haspopup": "dialog", onclick: () => this.#open(), text: WORDS.seats.title }),
    ];
  }

  #open() {
    say(this.#problem, "");
    this.#draw();
    this.#dialog.showModal();
    this.look();
  }

  #draw() {
    const { seats, isOwned, needsConsent, hasBot, policy } = this.#told;
    const mine = this.#mine;
    show(this.#list, seats.map((seat) => h(
      "li",
      {},
      h("b", { class: "seat", text: String(seat.player) }),
      h("span", { text: seatName(seat, seat === mine) }),
      seat.isAwaited && h("span", { class: "awaited", text: WORDS.players.awaited }),
      h("span", { class: "hint", text: [seatWords(seat), keptWords(seat)].filter(Boolean).join("; ") }),
      isOwned && seat !== mine && Boolean(seat.name) && !seat.seeks && h("button", { type: "button", "aria-label": (needsConsent ? WORDS.seats.proposeRemovalOf : seat.isBot ? WORDS.seats.offerSeatOf : WORDS.seats.removePlayer)({ name: seat.name }), onclick: () => this.#remove(seat), text: needsConsent ? WORDS.seats.proposeRemoval : seat.isBot ? WORDS.seats.offer : WORDS.seats.remove }),
    )));
    // What somebody is typing stays.
    if (this.#own.contains(document.activeElement) || this.#policy.contains(document.activeElement)) return;
    show(this.#own, mine ? this.#ownParts(mine, hasBot) : null);
    show(this.#policy, isOwned ? this.#form(policy, hasBot) : h("p", { class: "hint", text: `${capital(this.#told.words)}.` }));
  }

  #ownParts(mine, hasBot) {
    const turns = h("input", { id: "seats-turns", type: "number", min: "1", max: "100", value: String(mine.autopilot || 3) });
    return [
      (this.#isMissing || mine.autopilot > 0) && h("button", { type: "button", class: "primary", onclick: () => this.#sayHere(), text: mine.autopilot ? WORDS.seats.playMyself : WORDS.seats.iAmHere }),
      hasBot && h("label", { for: "seats-turns", text: WORDS.seats.botTurns }),
      hasBot && turns,
      hasBot && h("button", { type: "button", onclick: () => this.#do("setAutopilot", { turns: Number(turns.value), ...this.#page.player.meant }), text: WORDS.seats.leaveToBot }),
    ];
  }

  /** @param {import("../core/seats.js").SeatPolicy} policy */
  #form(policy, hasBot) {
    const number = (id, value, more = {}) => h("input", { id, type: "number", min: "0", max: "100", value: String(value), ...more });
    const silent = number("seats-silent", policy.silentDays, { max: "365", "aria-describedby": "seats-silent-about" });
    const after = number("seats-after", policy.absentAfter);
    const reliability = number("seats-reliability", policy.reliability);
    const absent = h("select", { id: "seats-absent" }, h("option", { value: "rules", text: WORDS.seats.absentRules }), (hasBot || policy.absent === "bot") && h("option", { value: "bot", text: WORDS.seats.absentBot }));
    absent.value = policy.absent;
    const seeks = h("input", { id: "seats-seek", type: "checkbox", checked: policy.seeks });
    const submit = (event) => {
      event.preventDefault();
      const wanted = { absentAfter: Number(after.value), absent: absent.value, seeks: seeks.checked, reliability: Number(reliability.value), rollCall: policy.rollCall, ...silenceFields(Number(silent.value)) };
      this.#do("setSeatPolicy", { game: this.#told.game, policy: wanted }, { kind: "seats", policy: wanted });
    };
    return h(
      "form",
      { class: "making", novalidate: "", onsubmit: submit },
      h("label", { for: "seats-after", text: WORDS.seats.absentAfter }),
      after,
      h("label", { for: "seats-absent", text: WORDS.seats.thenPlays }),
      absent,
      h("label", { for: "seats-seek", text: WORDS.seats.seek }),
      seeks,
      h("label", { for: "seats-reliability", text: WORDS.seats.reliability }),
      reliability,
      h("label", { for: "seats-silent", text: WORDS.seats.silentDays }),
      silent,
      h("p", { id: "seats-silent-about", class: "hint", text: WORDS.seats.silentAbout }),
      h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: this.#told.needsConsent ? WORDS.clock.proposeIt : WORDS.seats.decide })),
    );
  }

  #sayHere() {
    this.#do("sayHere", {});
  }

  #remove(seat) {
    if (seat.isBot || confirm(WORDS.seats.removeText({ name: seat.name }))) this.#do("removePlayer", { game: this.#told.game, player: seat.player }, { kind: "remove", player: seat.player });
  }

  /** @param {Object} [proposal] what is proposed where the other players have to agree */
  async #do(kind, body, proposal) {
    say(this.#problem, "");
    try {
      const result = await this.#page.player.changeGame(kind, body, proposal);
      note(`${result.replace(/\.$/, "")}.`, "good");
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
  h("div", {}, h("h3", { text: seat.game }), h("p", { class: "ruleset", text: seat.title }), h("p", { class: "hint", text: WORDS.seats.openSeat({ ...seat, seat: seat.player }) })),
  h("div", { class: "ways" }, take && h("button", { type: "button", "data-seat": `${seat.game} ${seat.player}`, "aria-label": WORDS.seats.takeSeatOf({ seat: seat.player, game: seat.game }), onclick: () => take(seat), text: WORDS.seats.takeSeat })),
));
