// The text of a clock: what it says in words, and one put together from what was chosen.

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const listed = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join(""));

/** The days of a calendar in words. @param {string} days as "mon-fri+sun" @returns {string} */
function dayWords(days) {
  if (days === "daily") return "every day";
  const name = (day) => NAMES[DAYS.indexOf(day)] ?? day;
  return `on ${listed(days.split("+").map((part) => part.split("-").map(name).join(" to ")))}`;
}

/** When a turn of one form ends. @param {string} form @param {boolean} waits whether finishing ends it no earlier */
function formWords(form, waits, duration) {
  const [kind, ...rest] = form.split(":");
  if (kind === "all-done") return "ends when all are done";
  if (kind === "threshold") return `ends ${duration(Number(rest[1]))} after ${rest[0]} % are done`;
  let when = "";
  if (kind === "interval") when = `after ${duration(Number(rest[0]))}`;
  else if (kind === "calendar" && rest.length === 3) when = `${dayWords(rest[0])} at ${listed(rest[1].split("+").map((time) => `${time.slice(0, 2)}:${time.slice(2)}`))} (${rest[2]})`;
  if (!when) return null;
  return waits ? `ends ${when}` : `ends when all are done, ${when} at the latest`;
}

/**
 * When a turn ends, in words; a text that is no clock as it is.
 * @param {string} clock as the server writes it @param {(seconds: number) => string} duration in words @returns {string}
 */
export function clockWords(clock, duration) {
  const [form, ...settings] = clock.split(" ");
  if (form === "manual" && !settings.length) return "the operator ends turns";
  const words = formWords(form, settings.includes("wait"), duration);
  if (!words) return clock;
  const said = [`a turn ${words}`];
  for (const setting of settings) {
    const at = setting.indexOf(":");
    const [name, value] = at < 0 ? [setting, ""] : [setting.slice(0, at), setting.slice(at + 1)];
    if (name === "first") said.push(`the first at ${value.slice(0, 16).replace("T", " ")} (${value.slice(17)})`);
    else if (name === "grace") said.push(`with ${duration(Number(value))} of grace for who is late`);
    else if (name === "bank") {
      const [seconds, plus] = value.split(":").map(Number);
      said.push(`each player has a time bank of ${duration(seconds)}${plus ? ` and ${duration(plus)} more for each turn` : ""}`);
    } else if (name === "vacation") said.push(`it waits for players on vacation, ${value === "1" ? "1 day" : `${value} days`} for each of them`);
    else if (name === "phase") {
      const [group, other] = value.split("=");
      said.push(`a turn of ${group.replaceAll("_", " ")} ${formWords(other, settings.includes("wait"), duration) ?? "ends when the operator says so"}`);
    } else if (name !== "wait") return clock;
  }
  return said.join(", ");
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
