// A new game: a form by the ruleset's declarations, and the invitation.

import { changedOptions, freeName, invitationLink } from "../core/home.js";
import { WATCH } from "../core/lobby.js";
import { plainCode } from "../core/typed.js";
import { WORDS } from "../words.js";
import { ClockForm } from "./clockform.js";
import { againClock } from "./clocktext.js";
import { $, h, say, show } from "./dom.js";
import { called, silenceFields, watchChoices, watchFields } from "./setup.js";
import { note, sentence } from "./toasts.js";

/** Options with more letters than this, or with several lines, get a field of several lines. */
const LONG = 40;

/** A game to make again, and the other players who are told. @typedef {{setup: import("../core/home.js").Setup, others: {id: number, name: string}[]}} Rematch */

/** Choose a value that is on a list; what is not there changes nothing. */
function choose(select, value) {
  if ([...select.options].some((one) => one.value === value)) select.value = value;
}

export class Making {
  #page;
  #rulesets = [];
  /** The game that is made again. @type {Rematch|null} */
  #rematch = null;
  /** By the name of an option: its field. @type {Map<string, {get: () => string, set: (value: string) => void}>} */
  #typed = new Map();
  #busy = false;
  #suggested = "";
  #clock = new ClockForm("making-clock");

  /** @param {Object} page `player`, `moveTo(game)`, `games` (all that are listed) */
  constructor(page) {
    this.#page = page;
    show($("making-watch"), watchChoices());
    $("making-ruleset").addEventListener("change", () => this.#drawRuleset());
    $("making-seats").addEventListener("change", () => this.#drawBots());
    $("making-absent").addEventListener("change", () => this.#clock.setAbsentAfter(this.#absentAfter));
    $("making-cancel").addEventListener("click", () => $("making").close());
    $("making-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
    $("invite").addEventListener("click", () => this.#invite());
  }

  get #absentAfter() {
    return Number.parseInt($("making-absent").value, 10);
  }

  /** Show the form. @param {Rematch|null} rematch the game to make again */
  async open(rematch = null) {
    try {
      this.#rulesets = await this.#page.player.rulesets();
    } catch (error) {
      note(sentence(error), "bad");
      return;
    }
    this.#rematch = rematch;
    say($("making-title"), rematch ? WORDS.newGame.onceMore({ game: rematch.setup.game }) : WORDS.newGame.title);
    const names = rematch?.others.map(({ name }) => name) ?? [];
    say($("making-others"), names.length ? WORDS.newGame.messageTo({ names }) : "");
    show($("making-ruleset"), this.#rulesets.map((one) => h("option", { value: one.name, text: one.title })));
    $("making-ruleset").disabled = rematch !== null;
    if (rematch) $("making-ruleset").value = rematch.setup.ruleset;
    say($("making-problem"), "");
    $("making-name").value = this.#suggested = "";
    this.#drawRuleset();
    $("making-rules").open = false;
    if (rematch) this.#fill(rematch);
    $("making").showModal();
  }

  /** As in the game that is made again. */
  #fill({ setup, others }) {
    $("making-name").value = freeName(setup.game, [...this.#page.games, { name: setup.game }]);
    choose($("making-seats"), String(setup.seats));
    this.#drawBots();
    choose($("making-bots"), String(setup.bots));
    const clock = againClock(setup.clock);
    if (clock !== "manual") this.#clock.set(clock);
    // Seats that are kept for others need a link.
    choose($("making-join"), others.length || setup.isInvited ? "invited" : "open");
    choose($("making-press"), setup.press);
    choose($("making-names"), setup.isAnonymous ? "anonymous" : "");
    choose($("making-watch"), setup.watch);
    if ($("making-admits")) choose($("making-admits"), setup.guests);
    const lost = [];
    for (const { name, value } of setup.options.filter((one) => one.isChanged)) {
      if (value) this.#typed.get(name)?.set(value);
      else lost.push(called(name));
    }
    $("making-rules").open = setup.press !== "private" || setup.guests !== "no" || setup.watch !== "0" || setup.isAnonymous;
    $("making-more").open = setup.options.some(({ isChanged }) => isChanged);
    if (lost.length) say($("making-problem"), WORDS.newGame.lost({ options: lost }));
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
    this.#offerGroups(ruleset.name);
    $("making-more").hidden = !ruleset.options.length;
    $("making-more").open = false;
  }

  /** Clocks for groups of turns are offered when the server has told which there are. */
  async #offerGroups(name) {
    this.#clock.setGroups([]);
    const groups = await this.#page.player.clockGroups(name).catch(() => []);
    if (this.#ruleset?.name === name) this.#clock.setGroups(groups);
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
    const isFlag = kind === "flag";
    this.#typed.set(name, {
      get: () => (isFlag ? (control.checked ? "on" : "off") : control.value),
      set: (given) => (isFlag ? (control.checked = given === "on") : (control.value = given)),
    });
    return [h("label", { for: id, text: called(name) }), control, h("p", { id: about, class: "hint", text: [help, limits].filter(Boolean).join("; ") })];
  }

  async #make() {
    const ruleset = this.#ruleset;
    if (!ruleset || this.#busy) return;
    this.#busy = true;
    say($("making-problem"), "");
    const name = plainCode($("making-name").value);
    const typed = new Map([...this.#typed].map(([option, field]) => [option, field.get()]));
    try {
      const words = await this.#page.player.createGame({
        name,
        ruleset: ruleset.name,
        seats: Number($("making-seats").value),
        bots: Number($("making-bots").value),
        clock: this.#clock.get(),
        invited: $("making-join").value === "invited",
        policy: { absentAfter: this.#absentAfter, absent: $("making-absent").value.split(" ")[1], rollCall: Number($("making-begin").value), ...silenceFields(Number($("making-silent").value)) },
        press: $("making-press").value,
        anonymous: $("making-names").value !== "",
        guests: $("making-admits")?.value ?? "", // where the server takes guests (doors.js)
        ...watchFields($("making-watch").value),
        master: $("making-master").value === "master",
        options: changedOptions(ruleset.options, typed),
      });
      $("making").close();
      note(words, "good");
      await this.#tellOthers(name);
      await this.#page.moveTo($("making-master").value ? name + WATCH : name);
    } catch (error) {
      if ($("making").open) say($("making-problem"), sentence(error));
      else note(sentence(error), "bad");
    } finally {
      this.#busy = false;
    }
  }

  /** Write to those who played before; a letter that cannot be sent is no reason not to go there. */
  async #tellOthers(name) {
    const { player } = this.#page;
    const others = this.#rematch?.others ?? [];
    if (!others.length) return;
    try {
      const isInvited = $("making-join").value === "invited";
      const link = isInvited ? invitationLink(location.href, name, await player.invitation(name)) : "";
      for (const { id } of others) await player.post(id, WORDS.newGame.rematch, WORDS.newGame.rematchText({ game: name, link }));
    } catch (error) {
      note(WORDS.newGame.notNotified({ why: sentence(error) }), "bad");
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
      await navigator.clipboard?.writeText($("invitation-link").value).then(() => note(WORDS.newGame.linkCopied, "good"), () => {});
    } catch (error) {
      note(sentence(error), "bad");
    }
  }
}
