// The fields of a clock: nobody has to type one. Used where a game is made and where its clock is changed.

import { clockWords, composeClock } from "./clocktext.js";
import { $, duration, h, say, show } from "./dom.js";

const CALENDAR = "calendar";
const DAYS = [["daily", "every day"], ["mon-fri", "Monday to Friday"], ["sat+sun", "on the weekend"], ["mon+wed+fri", "Monday, Wednesday, Friday"], ["tue+thu", "Tuesday, Thursday"], ["mon", "Monday"], ["tue", "Tuesday"], ["wed", "Wednesday"], ["thu", "Thursday"], ["fri", "Friday"], ["sat", "Saturday"], ["sun", "Sunday"]];
const GRACE = [0, 600, 3600, 21600, 86400];
const BANKS = [["0", "none"], ["600:30", "10 minutes, and 30 seconds more for each turn"], ["3600:60", "an hour, and a minute more for each turn"], ["86400:3600", "a day, and an hour more for each turn"], ["604800:14400", "a week, and 4 hours more for each turn"]];
const FORMS = [["", "as the others"], ["all-done", "when all are done"], ["interval:300", "after 5 minutes at the latest"], ["interval:3600", "after an hour at the latest"], ["interval:21600", "after 6 hours at the latest"], ["interval:86400", "after a day at the latest"]];

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

  /** @param {string} id of the select of forms; the other fields go into the element with this id and "-fields" */
  constructor(id) {
    this.#id = id;
    this.#select = $(id);
    if (![...this.#select.options].some(({ value }) => value === CALENDAR)) this.#select.append(h("option", { value: CALENDAR, text: "at a time of the day" }));
    const field = (name, label, control, hint = "") => h("div", { "data-field": name, class: "making" }, h("label", { for: control.id, text: label }), control, hint && h("p", { class: "hint", text: hint }));
    const made = (tag, name, props = {}, ...inside) => h(tag, { id: `${id}-${name}`, ...props }, ...inside);
    show(
      $(`${id}-fields`),
      field("calendar", "On which days", made("select", "days", {}, options(DAYS))),
      field("calendar", "At", made("input", "time", { type: "time", value: "20:00", required: true })),
      field("calendar", "and at (or empty)", made("input", "time2", { type: "time", value: "" })),
      field("zone", "In the time zone of", made("select", "zone", {}, zones().map((zone) => h("option", { value: zone, text: zone })))),
      h(
        "details",
        { class: "more", id: `${id}-more` },
        h("summary", { text: "More about the clock" }),
        field("wait", "Finishing early", made("select", "wait", {}, options([["", "ends the turn when all are done"], ["wait", "does not: the turn waits for its end"]]))),
        field("grace", "Grace for who is late", made("select", "grace", {}, GRACE.map((seconds) => h("option", { value: String(seconds), text: seconds ? duration(seconds) : "none" }))), "After its end a turn waits so long for who is awaited."),
        field("bank", "Time bank of each player", made("select", "bank", {}, options(BANKS)), "Time beyond the turn's own is taken from it; the turn ends when it is empty."),
        field("grace", "Vacation of each player", made("select", "vacation", {}, [0, 7, 14, 30, 60].map((days) => h("option", { value: String(days), text: days ? `${days} days in the game` : "none" }))), "Turns wait for players who are on vacation."),
        field("first", "The first turn ends (or empty)", made("input", "first", { type: "datetime-local" })),
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
        return h("div", { class: "making" }, h("label", { for: control.id, text: `Turns of ${name.replaceAll("_", " ")}` }), control, h("p", { class: "hint", text: help }));
      }),
    );
    this.#update();
  }

  /** Show a clock that is there; one that is not on the list becomes a choice of its own. @param {string} clock */
  set(clock) {
    if (![...this.#select.options].some(({ value }) => value === clock)) this.#select.append(h("option", { value: clock, text: clockWords(clock, duration).replace("a turn ends ", "") }));
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
    say($(`${this.#id}-words`), this.#isWhole || clock === form ? "" : `${clockWords(clock, duration)}.`);
  }
}
