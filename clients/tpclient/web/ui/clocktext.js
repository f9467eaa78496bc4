// The text of a turn clock: in words, and composed from a form.

import { WORDS } from "../words.js";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const NAMES = WORDS.clockText.dayNames;

/** The days of a calendar in words. @param {string} days as "mon-fri+sun" @returns {string} */
function dayWords(days) {
  if (days === "daily") return WORDS.clockText.everyDay;
  const name = (day) => NAMES[DAYS.indexOf(day)] ?? day;
  return WORDS.clockText.onDays({ parts: days.split("+").map((part) => part.split("-").map(name)) });
}

/** When a turn of one form ends. @param {string} form @param {boolean} waits whether finishing ends it no earlier */
function formWords(form, waits, duration) {
  const [kind, ...rest] = form.split(":");
  if (form === "manual") return WORDS.clockText.byOperator;
  if (kind === "all-done") return WORDS.clockText.allDone;
  if (kind === "threshold") return WORDS.clockText.threshold({ time: duration(Number(rest[1])), share: rest[0] });
  let when = "";
  if (kind === "interval") when = WORDS.clockText.after({ time: duration(Number(rest[0])) });
  else if (kind === "calendar" && rest.length === 3) when = WORDS.clockText.atTimes({ days: dayWords(rest[0]), times: rest[1].split("+").map((time) => `${time.slice(0, 2)}:${time.slice(2)}`), zone: rest[2] });
  if (!when) return null;
  return waits ? WORDS.clockText.ends({ when }) : WORDS.clockText.latest({ when });
}

/**
 * When a turn ends, in words; a text that is no clock as it is.
 * @param {string} clock as the server writes it @param {(seconds: number) => string} duration in words @returns {string}
 */
export function clockWords(clock, duration) {
  const [form, ...settings] = clock.split(" ");
  if (form === "manual" && !settings.length) return WORDS.clockText.manual;
  const words = formWords(form, settings.includes("wait"), duration);
  if (!words) return clock;
  const said = [WORDS.clockText.turn({ ends: words })];
  for (const setting of settings) {
    const at = setting.indexOf(":");
    const [name, value] = at < 0 ? [setting, ""] : [setting.slice(0, at), setting.slice(at + 1)];
    if (name === "first") said.push(WORDS.clockText.first({ time: value.slice(0, 16).replace("T", " "), zone: value.slice(17) }));
    else if (name === "grace") said.push(WORDS.clockText.grace({ time: duration(Number(value)) }));
    else if (name === "bank") {
      const [seconds, plus] = value.split(":").map(Number);
      said.push(WORDS.clockText.bank({ time: duration(seconds), more: plus ? duration(plus) : "" }));
    } else if (name === "vacation") said.push(WORDS.clockText.vacation({ days: Number(value) }));
    else if (name === "phase") {
      const [group, other] = value.split("=");
      said.push(WORDS.clockText.group({ group: group.replaceAll("_", " "), ends: formWords(other, settings.includes("wait"), duration) }));
    } else if (name !== "wait") return clock;
  }
  return said.join(", ");
}

/**
 * Which settings have no effect under a clock, each as a sentence without its full stop (the server's `Clock.notes`).
 * @param {string} clock as the server writes it @param {number} absentAfter turns that may be missed in a row, 0: all
 * @returns {string[]}
 */
export function clockNotes(clock, absentAfter = 0) {
  const [form, ...settings] = clock.split(" ");
  const has = (name) => settings.some((setting) => setting.startsWith(`${name}:`));
  const phases = settings.filter((setting) => setting.startsWith("phase:")).map((setting) => setting.slice(6).split("="));
  const hasDeadlines = has("bank") || [form, ...phases.map(([, other]) => other)].some((one) => /^(interval|threshold|calendar):/.test(one));
  const notes = [];
  if (!hasDeadlines) {
    if (absentAfter > (has("first") ? 1 : 0)) notes.push(WORDS.clockText.noAbsence);
    for (const name of ["grace", "vacation"]) if (has(name)) notes.push(WORDS.clockText.onlyFirst({ setting: name }));
  }
  for (const [name, other] of phases) if (other === form) notes.push(WORDS.clockText.samePhase({ phase: name }));
  return notes;
}

/**
 * A clock of what was chosen. `form` is one without settings, or "calendar" for one of `days` (as "mon-fri"), `times` (as
 * "20:00") and `zone`; `first` is a local time as "2026-12-01T20:00" in `zone`, "" for none; `phases` maps groups of turns
 * to forms, "" for the game's own.
 * @param {{form: string, days: string, times: string[], zone: string, waits: boolean, grace: number, bank: number,
 *   plus: number, first: string, phases: Map<string, string>, vacation?: number}} chosen
 * @returns {string}
 */
export function composeClock({ form, days, times, zone, waits, grace, bank, plus, first, phases, vacation = 0 }) {
  const words = [form === "calendar" ? `calendar:${days}:${times.map((time) => time.replace(":", "")).join("+")}:${zone}` : form];
  const hasDeadline = form !== "all-done";
  if (waits && hasDeadline) words.push("wait");
  if (first) words.push(`first:${first.slice(0, 16)}:${zone}`);
  if (grace && (hasDeadline || bank || first)) words.push(`grace:${grace}`);
  if (bank) words.push(plus ? `bank:${bank}:${plus}` : `bank:${bank}`);
  if (vacation && (hasDeadline || bank || first)) words.push(`vacation:${vacation}`);
  for (const [group, other] of phases) if (other) words.push(`phase:${group}=${other}`);
  return words.join(" ");
}

/** A clock without its first deadline, which has passed when it is chosen again. @param {string} clock */
export const againClock = (clock) => clock.split(" ").filter((word) => !word.startsWith("first:")).join(" ");
