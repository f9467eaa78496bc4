// The dialog of what the players agree on: what is proposed and who has voted how, proposing, and voting.

import { readProposals, readVacations, votesOn } from "../core/agreements.js";
import { ask } from "./asking.js";
import { duration, h, listed, moment, say, settled, show } from "./dom.js";
import { sentence } from "./toasts.js";

const STATES = { agreed: "agreed on", refused: "refused", withdrawn: "withdrawn", lapsed: "nothing came of it" };
const VOTES = { agree: "Agree", refuse: "Refuse", withdraw: "Withdraw" };
const TIMES = [3600, 21600, 43200, 86400, 172800, 259200, 604800];

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
      h("h2", { id: "agreements-title", text: "Agreements" }),
      h("div", { tabindex: "0", role: "group", "aria-labelledby": "agreements-title" }, this.#problem, this.#news, this.#list, h("h3", { text: "Propose something" }), this.#offers, this.#vacation()),
      h("form", { method: "dialog", class: "row" }, h("button", { class: "primary", text: "Close" })),
    );
    document.body.append(this.#dialog);
  }

  /** When the account is away, which some clocks wait for. */
  #vacation() {
    const form = h("form", { class: "making", novalidate: true }, h("label", { for: "away-first", text: "First day (or empty: from now on)" }), this.#first, h("label", { for: "away-last", text: "Last day" }), this.#last, h("div", { class: "row" }, h("button", { text: "I am on vacation" })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [first, last] = [this.#first, this.#last].map(({ value }) => (value ? new Date(`${value}T00:00`) : null));
      if (!last) return say(this.#problem, "Say which day is the last.");
      last.setDate(last.getDate() + 1);
      this.#do("addVacation", { begins: first ? first.getTime() / 1000 : 0, ends: last.getTime() / 1000 });
    });
    return h("details", { class: "more" }, h("summary", { text: "My vacations" }), h("p", { class: "hint", text: "Turns wait for that in games whose clocks say so." }), this.#away, this.#left, form);
  }

  async open() {
    await this.#ask();
    say(this.#problem, "");
    say(this.#news, "");
    this.#dialog.showModal();
  }

  async #ask() {
    const { player } = this.#page;
    this.#told = readProposals(await player.askOne("getProposals", {}, "proposals"));
    const { vacations, left } = readVacations(await player.askOne("getVacations", {}, "vacations"));
    show(this.#away, vacations.map(({ id, begins, ends }) => h("li", {}, h("p", { text: `${moment(begins)} to ${moment(ends)}` }), h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#do("endVacation", { id }), text: "End it" })))));
    say(this.#left, `${left ? duration(left) : "Nothing"} left this year.`);
    this.#draw();
  }

  async #look() {
    if (this.#dialog.open && !this.#busy) await this.#ask().catch((error) => say(this.#problem, sentence(error)));
  }

  #name(id) {
    const { universe } = this.#page.player;
    const name = universe.players.get(id)?.name ?? `player ${id}`;
    return id === universe.me ? `${name} (you)` : name;
  }

  #names(ids) {
    return listed(ids.map((id) => this.#name(id)));
  }

  #draw() {
    const { proposals, offers, vacations } = this.#told;
    const away = vacations.map((one) => h("li", { class: "hint", text: `${this.#name(one.player)} is on vacation, ${moment(one.begins)} to ${moment(one.ends)}.` }));
    show(this.#list, away, proposals.length ? proposals.map((one) => this.#row(one)) : h("li", { class: "hint", text: "Nothing is proposed." }));
    show(this.#offers, offers.length ? offers.map((one) => this.#offer(one)) : h("li", { class: "hint", text: "Players propose something; you watch." }));
  }

  /** @param {import("../core/agreements.js").Proposal} one */
  #row(one) {
    const who = one.player ? this.#name(one.player) : "Whoever made the game";
    if (one.state !== "open") {
      const by = one.refusing.length ? ` by ${this.#names(one.refusing)}` : "";
      return h("li", { class: "hint", text: `${who} proposed ${one.words}: ${STATES[one.state] ?? one.state}${by}.` });
    }
    const waits = one.waiting.length ? `, waits for ${this.#names(one.waiting)}` : "";
    const votes = votesOn(one, this.#page.player.universe.me);
    return h(
      "li",
      {},
      h("p", { text: `${who} proposes ${one.words}.` }),
      h("p", { class: "hint", text: `Agreed by ${this.#names(one.agreeing) || "nobody"}${waits}; until ${moment(one.until)}.` }),
      votes.length > 0 && h("div", { class: "row" }, votes.map((vote) => h("button", { type: "button", onclick: () => this.#do("vote", { game: this.#told.game, id: one.id, vote }), text: VOTES[vote] }))),
    );
  }

  /** @param {import("../core/agreements.js").Offer} one */
  #offer(one) {
    const help = `${one.help[0]?.toUpperCase() ?? ""}${one.help.slice(1)}`;
    const times = one.most > 0 && h("select", { "aria-label": `How much time: ${one.help}` }, TIMES.filter((time) => time <= one.most).map((time) => h("option", { value: time, text: duration(time) })));
    const button = h("button", { type: "button", disabled: Boolean(one.problem), "aria-label": `${one.isAlone ? "Do it" : "Propose"}: ${one.help}`, text: one.isAlone ? "Do it" : "Propose" });
    button.addEventListener("click", async () => {
      const isMeant = !one.isFinal || (await ask({ title: "Are you sure?", text: `${help}. Nothing takes this back.`, yes: "Do it" }));
      if (isMeant) this.#do("propose", { game: this.#told.game, kind: one.kind, seconds: times ? Number(times.value) : 0 });
    });
    return h("li", {}, h("p", { text: `${help}.` }), one.problem ? h("p", { class: "hint", text: `Not now: ${one.problem}.` }) : h("div", { class: "row" }, times, button));
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
