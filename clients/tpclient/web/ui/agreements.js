// The dialog for proposals: the list with votes, proposing and voting.

import { readProposals, readVacations, votesOn } from "../core/agreements.js";
import { WORDS, duration, listed } from "../words.js";
import { ask } from "./asking.js";
import { h, moment, say, settled, show } from "./dom.js";
import { sentence } from "./toasts.js";

const VOTES = WORDS.agreements.votes;
const TIMES = [3600, 21600, 43200, 86400, 172800, 259200, 604800];

/** How what an offer asks for is typed or chosen; a rule about absent players has a dialog of its own. */
const FIELDS = {
  "": () => false,
  clock: (label) => h("input", { type: "text", maxlength: 500, autocomplete: "off", spellcheck: "false", placeholder: "interval:86400", "aria-label": label }),
  reason: (label) => h("input", { type: "text", maxlength: 300, autocomplete: "off", placeholder: WORDS.agreements.why, "aria-label": label }),
  player: (label, players) => h("select", { "aria-label": label }, players.map(({ id, name }) => h("option", { value: id, text: name }))),
};

export class AgreementDialog {
  #page;
  #told = null;
  #busy = false;
  #dialog;
  #problem = h("p", { class: "problem", role: "alert" });
  #news = h("p", { role: "status" });
  #list = h("ul", { id: "agreements-list" });
  #offers = h("ul", { id: "agreements-offers" });
  #away = h("ul", { id: "agreements-away" });
  #first = h("input", { id: "away-first", type: "date" });
  #last = h("input", { id: "away-last", type: "date", required: true });
  #left = h("p", { class: "hint" });
  /** It is asked again when the time is told, as after each proposal and each vote. */
  look = settled(() => this.#look(), 150);

  /** @param {Object} page `player` */
  constructor(page) {
    this.#page = page;
    this.#dialog = h(
      "dialog",
      { id: "agreements", "aria-labelledby": "agreements-title" },
      h("h2", { id: "agreements-title", text: WORDS.agreements.title }),
      h("div", { tabindex: "0", role: "group", "aria-labelledby": "agreements-title" }, this.#problem, this.#news, this.#list, h("h3", { text: WORDS.agreements.proposeSomething }), this.#offers, this.#vacation()),
      h("form", { method: "dialog", class: "row" }, h("button", { class: "primary", text: WORDS.common.close })),
    );
    document.body.append(this.#dialog);
  }

  /** When the account is away, which some clocks wait for. */
  #vacation() {
    const form = h("form", { class: "making", novalidate: true }, h("label", { for: "away-first", text: WORDS.agreements.firstDay }), this.#first, h("label", { for: "away-last", text: WORDS.agreements.lastDay }), this.#last, h("div", { class: "row" }, h("button", { text: WORDS.agreements.onVacation })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [first, last] = [this.#first, this.#last].map(({ value }) => (value ? new Date(`${value}T00:00`) : null));
      if (!last) return say(this.#problem, WORDS.agreements.enterLastDay);
      last.setDate(last.getDate() + 1);
      this.#do("addVacation", { begins: first ? first.getTime() / 1000 : 0, ends: last.getTime() / 1000 });
    });
    return h("details", { class: "more" }, h("summary", { text: WORDS.agreements.myVacations }), h("p", { class: "hint", text: WORDS.agreements.vacationsAbout }), this.#away, this.#left, form);
  }

  async open() {
    await this.#ask();
    say(this.#problem, "");
    say(this.#news, "");
    this.#dialog.showModal();
  }

  async #ask() {
    const { player } = this.#page;
    this.#told = readProposals(await player.requests.getProposals());
    const { vacations, left } = readVacations(await player.requests.getVacations());
    show(this.#away, vacations.map(({ id, begins, ends }) => h("li", {}, h("p", { text: WORDS.agreements.vacation({ begins: moment(begins), ends: moment(ends) }) }), h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#do("endVacation", { id }), text: WORDS.agreements.endVacation })))));
    say(this.#left, WORDS.agreements.vacationLeft({ seconds: left }));
    this.#draw();
  }

  async #look() {
    if (this.#dialog.open && !this.#busy) await this.#ask().catch((error) => say(this.#problem, sentence(error)));
  }

  #name(id) {
    const { universe } = this.#page.player;
    const name = universe.players.get(id)?.name ?? WORDS.agreements.player({ id });
    return id === universe.me ? WORDS.common.you({ name }) : name;
  }

  #names(ids) {
    return listed(ids.map((id) => this.#name(id)));
  }

  #draw() {
    const { proposals, vacations } = this.#told;
    const offers = this.#told.offers.filter(({ asks }) => asks in FIELDS);
    const away = vacations.map((one) => h("li", { class: "hint", text: WORDS.agreements.away({ name: this.#name(one.player), begins: moment(one.begins), ends: moment(one.ends) }) }));
    show(this.#list, away, proposals.length ? proposals.map((one) => this.#row(one)) : h("li", { class: "hint", text: WORDS.agreements.none }));
    // What somebody is typing stays.
    const isTyping = this.#offers.contains(document.activeElement) && document.activeElement.matches("input");
    if (!isTyping) show(this.#offers, offers.length ? offers.map((one) => this.#offer(one)) : h("li", { class: "hint", text: WORDS.agreements.playersPropose }));
  }

  /** @param {import("../core/agreements.js").Proposal} one */
  #row(one) {
    const who = one.player ? this.#name(one.player) : WORDS.agreements.owner;
    if (one.state !== "open") {
      const by = one.refusing.length ? this.#names(one.refusing) : "";
      return h("li", { class: "hint", text: WORDS.agreements.closed({ who, proposal: one.words, state: one.state, by }) });
    }
    const waits = one.waiting.length ? this.#names(one.waiting) : "";
    const votes = votesOn(one, this.#page.player.universe.me);
    return h(
      "li",
      {},
      h("p", { text: WORDS.agreements.proposes({ who, proposal: one.words }) }),
      h("p", { class: "hint", text: WORDS.agreements.standing({ agreeing: this.#names(one.agreeing), waits, until: moment(one.until) }) }),
      votes.length > 0 && h("div", { class: "row" }, votes.map((vote) => h("button", { type: "button", onclick: () => this.#do("vote", { game: this.#told.game, id: one.id, vote }), text: VOTES[vote] }))),
    );
  }

  /** @param {import("../core/agreements.js").Offer} one */
  #offer(one) {
    const help = `${one.help[0]?.toUpperCase() ?? ""}${one.help.slice(1)}`;
    const times = one.most > 0 && h("select", { "aria-label": WORDS.agreements.howMuchTime({ action: one.help }) }, TIMES.filter((time) => time <= one.most).map((time) => h("option", { value: time, text: duration(time) })));
    const { universe } = this.#page.player;
    const field = FIELDS[one.asks](one.help, [...universe.players.values()].filter(({ id }) => id !== universe.me));
    const button = h("button", { type: "button", disabled: Boolean(one.problem), "aria-label": WORDS.agreements.proposeAction({ action: one.help, isAlone: one.isAlone }), text: one.isAlone ? WORDS.agreements.doIt : WORDS.agreements.propose });
    button.addEventListener("click", async () => {
      const isMeant = !one.isFinal || (await ask({ title: WORDS.agreements.areYouSure, text: WORDS.agreements.isFinal({ action: help }), yes: WORDS.agreements.doIt }));
      const more = field ? { [one.asks]: one.asks === "player" ? Number(field.value) : field.value.trim() } : {};
      if (isMeant) this.#do("propose", { game: this.#told.game, kind: one.kind, seconds: times ? Number(times.value) : 0, ...more, ...this.#page.player.meant });
    });
    return h("li", {}, h("p", { text: `${help}.` }), one.problem ? h("p", { class: "hint", text: WORDS.agreements.notNow({ why: one.problem }) }) : h("div", { class: "row" }, times, field, button));
  }

  /** Do one thing at a time, tell what came of it, and show how things are then. */
  async #do(kind, body) {
    if (this.#busy) return;
    this.#busy = true;
    say(this.#problem, "");
    say(this.#news, "");
    try {
      const { result } = await this.#page.player.askOne(kind, body, "okay");
      await this.#ask();
      say(this.#news, `${result}.`);
    } catch (error) {
      say(this.#problem, sentence(error));
    } finally {
      this.#busy = false;
    }
  }
}
