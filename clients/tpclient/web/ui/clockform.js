// The form of a turn clock, so that nobody has to type its text.
// Used to create a game and to change its clock.

import { WORDS, duration } from "../words.js";
import { clockNotes, clockWords, composeClock } from "./clocktext.js";
import { $, h, say, show } from "./dom.js";

const CALENDAR = "calendar";
const DAYS = Object.entries(WORDS.clockForm.days);
const GRACE = [0, 600, 3600, 21600, 86400];
const BANKS = [["0", WORDS.clockForm.none], ["600:30", WORDS.clockForm.bankMinutes], ["3600:60", WORDS.clockForm.bankHour], ["86400:3600", WORDS.clockForm.bankDay], ["604800:14400", WORDS.clockForm.bankWeek]];
const FORMS = [["", WORDS.clockForm.asOthers], ["all-done", WORDS.clockForm.allDone], ["interval:300", WORDS.clockForm.afterMinutes], ["interval:3600", WORDS.clockForm.afterHour], ["interval:21600", WORDS.clockForm.afterHours], ["interval:86400", WORDS.clockForm.afterDay]];

const options = (pairs) => pairs.map(([value, words]) => h("option", { value, text: words }));

/** The time zones that the browser knows, its own first. @returns {string[]} */
export function zones() {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  const all = Intl.supportedValuesOf?.("timeZone") ?? [];
  return [...new Set([own, "UTC", ...all])];
}

export class ClockForm {
  #select;
  #id;
  #groups = new Map();
  #absentAfter = 0;

  /** Say which settings have no effect where so many turns may be missed in a row. @param {number} turns 0: all */
  setAbsentAfter(turns) {
    this.#absentAfter = turns;
    this.#update();
  }

  /** @param {string} id of the select of forms; the other fields go into the element with this id and "-fields" */
  constructor(id) {
    this.#id = id;
    this.#select = $(id);
    if (![...this.#select.options].some(({ value }) => value === CALENDAR)) this.#select.append(h("option", { value: CALENDAR, text: WORDS.clockForm.atTime }));
    const field = (name, label, control, hint = "") => h("div", { "data-field": name, class: "making" }, h("label", { for: control.id, text: label }), control, hint && h("p", { class: "hint", text: hint }));
    const made = (tag, name, props = {}, ...inside) => h(tag, { id: `${id}-${name}`, ...props }, ...inside);
    show(
      $(`${id}-fields`),
      field("calendar", WORDS.clockForm.onDays, made("select", "days", {}, options(DAYS))),
      field("calendar", WORDS.clockForm.at, made("input", "time", { type: "time", value: "20:00", required: true })),
      field("calendar", WORDS.clockForm.andAt, made("input", "time2", { type: "time", value: "" })),
      field("zone", WORDS.clockForm.zone, made("select", "zone", {}, zones().map((zone) => h("option", { value: zone, text: zone })))),
      h(
        "details",
        { class: "more", id: `${id}-more` },
        h("summary", { text: WORDS.clockForm.more }),
        field("wait", WORDS.clockForm.early, made("select", "wait", {}, options([["", WORDS.clockForm.endsEarly], ["wait", WORDS.clockForm.waits]]))),
        field("grace", WORDS.clockForm.grace, made("select", "grace", {}, GRACE.map((seconds) => h("option", { value: String(seconds), text: seconds ? duration(seconds) : WORDS.clockForm.none }))), WORDS.clockForm.graceAbout),
        field("bank", WORDS.clockForm.bank, made("select", "bank", {}, options(BANKS)), WORDS.clockForm.bankAbout),
        field("grace", WORDS.clockForm.vacation, made("select", "vacation", {}, [0, 7, 14, 30, 60].map((days) => h("option", { value: String(days), text: days ? WORDS.clockForm.vacationDays({ days }) : WORDS.clockForm.none }))), WORDS.clockForm.vacationAbout),
        field("first", WORDS.clockForm.first, made("input", "first", { type: "datetime-local" })),
        h("div", { id: `${id}-groups` }),
      ),
      h("p", { id: `${id}-words`, class: "hint", role: "status" }),
    );
    $(`${id}-fields`).addEventListener("input", () => this.#update());
    this.#select.addEventListener("change", () => this.#update());
    this.#update();
  }

  /** Offer clocks for groups of turns. @param {{name: string, help: string}[]} groups */
  setGroups(groups) {
    this.#groups.clear();
    show(
      $(`${this.#id}-groups`),
      groups.map(({ name, help }, at) => {
        const control = h("select", { id: `${this.#id}-group-${at}` }, options(FORMS));
        this.#groups.set(name, control);
        return h("div", { class: "making" }, h("label", { for: control.id, text: WORDS.clockForm.turnsOf({ group: name.replaceAll("_", " ") }) }), control, h("p", { class: "hint", text: help }));
      }),
    );
    this.#update();
  }

  /** Show a clock that is there; one that is not on the list becomes a choice of its own. @param {string} clock */
  set(clock) {
    if (![...this.#select.options].some(({ value }) => value === clock)) this.#select.append(h("option", { value: clock, text: clockWords(clock, duration).replace(WORDS.clockText.turn({ ends: WORDS.clockText.ends({ when: "" }) }), "") }));
    this.#select.value = clock;
    this.#update();
  }

  /** The clock that is chosen. @returns {string} */
  get() {
    const form = this.#select.value;
    if (this.#isWhole) return form;
    const value = (name) => $(`${this.#id}-${name}`).value;
    const [bank, plus = 0] = value("bank").split(":").map(Number);
    return composeClock({
      form,
      days: value("days"),
      times: [value("time"), value("time2")].filter(Boolean),
      zone: value("zone"),
      waits: value("wait") === "wait",
      grace: Number(value("grace")),
      bank,
      plus,
      first: value("first"),
      vacation: Number(value("vacation")),
      phases: new Map([...this.#groups].map(([name, control]) => [name, control.value])),
    });
  }

  /** Whether the choice is a whole clock already, with its settings. */
  get #isWhole() {
    const form = this.#select.value;
    return form.includes(" ") || form.startsWith("calendar:") || form === "manual";
  }

  #update() {
    const form = this.#select.value;
    const fields = $(`${this.#id}-fields`);
    fields.hidden = this.#isWhole;
    for (const field of fields.querySelectorAll("[data-field]")) {
      const { field: name } = field.dataset;
      if (name === "calendar") field.hidden = form !== CALENDAR;
      else if (name === "zone") field.hidden = form !== CALENDAR && !$(`${this.#id}-first`).value;
      else if (name === "wait") field.hidden = form === "all-done";
      else if (name === "grace") field.hidden = form === "all-done" && $(`${this.#id}-bank`).value === "0" && !$(`${this.#id}-first`).value;
    }
    const clock = this.get();
    // What the list says by itself is not said again.
    const words = this.#isWhole || clock === form ? [] : [`${clockWords(clock, duration)}.`];
    say($(`${this.#id}-words`), [...words, ...clockNotes(clock, this.#absentAfter).map((note) => WORDS.clockForm.note({ note }))].join(" "));
  }
}
