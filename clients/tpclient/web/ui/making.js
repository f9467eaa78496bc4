// A new game: a form made of what its ruleset declares, and the link that invites others to it.

import { changedOptions, freeName, invitationLink } from "../core/home.js";
import { $, h, say, show } from "./dom.js";
import { note, sentence } from "./notices.js";

/** Options with more letters than this, or with several lines, get a field of several lines. */
const LONG = 40;

export class Making {
  #page;
  #rulesets = [];
  /** By the name of an option: what is typed now. @type {Map<string, () => string>} */
  #typed = new Map();
  #busy = false;
  #suggested = "";

  /** @param {Object} page `player`, `moveTo(game)`, `games` (all that are listed) */
  constructor(page) {
    this.#page = page;
    $("making-ruleset").addEventListener("change", () => this.#drawRuleset());
    $("making-seats").addEventListener("change", () => this.#drawBots());
    $("making-cancel").addEventListener("click", () => $("making").close());
    $("making-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
    $("invite").addEventListener("click", () => this.#invite());
  }

  async open() {
    try {
      this.#rulesets = await this.#page.player.rulesets();
    } catch (error) {
      note(sentence(error), "bad");
      return;
    }
    show($("making-ruleset"), this.#rulesets.map((one) => h("option", { value: one.name, text: one.title })));
    say($("making-problem"), "");
    $("making-name").value = this.#suggested = "";
    this.#drawRuleset();
    $("making").showModal();
  }

  get #ruleset() {
    return this.#rulesets.find((one) => one.name === $("making-ruleset").value) ?? null;
  }

  #drawRuleset() {
    const ruleset = this.#ruleset;
    if (!ruleset) return;
    say($("making-goal"), ruleset.goal);
    if ($("making-name").value === this.#suggested) $("making-name").value = this.#suggested = freeName(ruleset.name, this.#page.games);
    show($("making-seats"), ruleset.seats.map((number) => h("option", { value: String(number), text: String(number) })));
    this.#drawBots();
    this.#typed.clear();
    show($("making-options"), ruleset.options.flatMap((option, at) => this.#field(option, `making-option-${at}`)));
    $("making-more").hidden = !ruleset.options.length;
    $("making-more").open = false;
  }

  #drawBots() {
    const before = Number($("making-bots").value) || 0;
    const most = Math.max(0, Number($("making-seats").value) - 1);
    show($("making-bots"), Array.from({ length: most + 1 }, (_, number) => h("option", { value: String(number), selected: number === Math.min(before, most), text: String(number) })));
  }

  /** The label, control and words of an option. @param {import("../core/home.js").Option} option */
  #field(option, id) {
    const { name, kind, value, help, limits } = option;
    const about = `${id}-about`;
    const same = { id, "aria-describedby": about };
    let control;
    if (kind === "flag") control = h("input", { ...same, type: "checkbox", checked: value === "on" });
    else if (kind === "word") control = h("select", same, option.words.map((word) => h("option", { value: word, selected: word === value, text: word })));
    else if (kind === "integer") control = h("input", { ...same, type: "number", min: option.low, max: option.high, step: 1, value });
    else if (value.length > LONG || value.includes("\n")) control = h("textarea", { ...same, rows: Math.min(12, value.split("\n").length + 1), spellcheck: "false", value });
    else control = h("input", { ...same, spellcheck: "false", autocomplete: "off", value });
    this.#typed.set(name, () => (kind === "flag" ? (control.checked ? "on" : "off") : control.value));
    return [h("label", { for: id, text: name.replaceAll("_", " ") }), control, h("p", { id: about, class: "hint", text: [help, limits].filter(Boolean).join("; ") })];
  }

  async #make() {
    const ruleset = this.#ruleset;
    if (!ruleset || this.#busy) return;
    this.#busy = true;
    say($("making-problem"), "");
    const name = $("making-name").value.trim();
    const typed = new Map([...this.#typed].map(([option, read]) => [option, read()]));
    try {
      const words = await this.#page.player.createGame({
        name,
        ruleset: ruleset.name,
        seats: Number($("making-seats").value),
        bots: Number($("making-bots").value),
        clock: $("making-clock").value,
        invited: $("making-join").value === "invited",
        options: changedOptions(ruleset.options, typed),
      });
      $("making").close();
      note(words, "good");
      await this.#page.moveTo(name);
    } catch (error) {
      if ($("making").open) say($("making-problem"), sentence(error));
      else note(sentence(error), "bad");
    } finally {
      this.#busy = false;
    }
  }

  /** In the waiting room: whether others can be invited. @param {import("../core/home.js").OwnGame|undefined} game the one that is played */
  offer(game) {
    const offers = game !== undefined && game.isMade && game.isInvited && game.state === "waiting";
    $("invite").hidden = !offers;
    if (!offers) $("invitation").hidden = true;
  }

  async #invite() {
    const { player } = this.#page;
    const game = player.listing?.name ?? player.game;
    try {
      $("invitation-link").value = invitationLink(location.href, game, await player.invitation(game));
      $("invitation").hidden = false;
      $("invitation-link").select();
      await navigator.clipboard?.writeText($("invitation-link").value).then(() => note("The link is copied.", "good"), () => {});
    } catch (error) {
      note(sentence(error), "bad");
    }
  }
}
