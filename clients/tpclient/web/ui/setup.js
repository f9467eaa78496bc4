// What a game was made with, in words and as a table.

import { clockWords as inWords } from "./clocktext.js";
import { counted, duration, h, listed } from "./dom.js";

/** When a turn ends, in words. @param {string} clock as the server writes it @returns {string} */
export const clockWords = (clock) => inWords(clock, duration);

/** The name of an option for people. @param {string} name */
export const called = (name) => name.replaceAll("_", " ");
const PRESS = { public: "players write to everybody at once only", none: "players write nothing to each other" };
const GUESTS = { yes: "guests may join", silent: "guests may join, but write to nobody" };

/** How late spectators see a game, as fields of a frame. @param {string} watch a number of turns, or "closed" */
export const watchFields = (watch) => (watch === "closed" ? { unwatched: true } : { watchDelay: Number(watch) });

/** The choices of that. @returns {HTMLElement[]} */
export const watchChoices = () => ["0", "1", "2", "3", "5", "10", "20", "50", "closed"].map((watch) => h("option", { value: watch, text: watchWords(watch) || "as it is" }));

const watchWords = (watch) => (watch === "closed" ? "not before its end" : watch === "0" ? "" : `${counted(Number(watch), "turn")} later`);

const valueOf = ({ value }) => value || "another one";

/** The options that are not as usual, in a line. @param {import("../core/home.js").Setup} setup @returns {string} */
export function optionWords({ options }) {
  const changed = options.filter(({ isChanged }) => isChanged);
  if (!options.length) return "";
  return changed.length ? `options: ${listed(changed.map((one) => `${called(one.name)} ${valueOf(one)}`))}` : "usual options";
}

/** All of it. @param {import("../core/home.js").Setup} setup @returns {HTMLElement[]} */
export function setupParts(setup) {
  const { seats, bots, clock, isInvited, press, guests, watch, isAnonymous, options } = setup;
  const facts = [
    `${counted(seats, "player")}${bots ? `, ${counted(bots, "bot")} among them` : ""}`,
    clockWords(clock),
    isInvited ? "for invited players" : "",
    PRESS[press],
    GUESTS[guests],
    watchWords(watch) && `spectators see it ${watchWords(watch)}`,
    isAnonymous ? "who plays is told when it is over" : "",
    optionWords(setup),
  ];
  const rows = [...options].sort((one, other) => other.isChanged - one.isChanged);
  return [
    h("p", { text: `${facts.filter(Boolean).join(" · ")}.` }),
    rows.length > 0 && h(
      "details",
      { class: "more setup" },
      h("summary", { text: "All options" }),
      h("table", {}, h("caption", { class: "unseen", text: "Options of the game" }), h("tbody", {}, rows.map((one) => h("tr", {}, h("th", { scope: "row" }, called(one.name), one.help && h("span", { class: "hint", text: ` ${one.help}` })), h("td", {}, one.isChanged ? h("strong", { text: valueOf(one) }) : one.value || "as usual"))))),
    ),
  ];
}
