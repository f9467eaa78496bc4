// The setup of a game, in words and as a table.

import { WORDS, duration } from "../words.js";
import { clockWords as inWords } from "./clocktext.js";
import { h } from "./dom.js";

/** When a turn ends, in words. @param {string} clock as the server writes it @returns {string} */
export const clockWords = (clock) => inWords(clock, duration);

/** The name of an option for people. @param {string} name */
export const called = (name) => name.replaceAll("_", " ");
const PRESS = WORDS.setup.press;
const GUESTS = WORDS.setup.guests;

/** How late spectators see a game, as fields of a frame. @param {string} watch a number of turns, or "closed" */
export const watchFields = (watch) => (watch === "closed" ? { unwatched: true } : { watchDelay: Number(watch) });

/** For how many days a turn without a deadline waits for silent players, as fields of a frame. @param {number} days 0: for ever */
export const silenceFields = (days) => (days ? { silentDays: days } : { waitsForSilent: true });

/** The choices of watchFields. @returns {HTMLElement[]} */
export const watchChoices = () => ["0", "1", "2", "3", "5", "10", "20", "50", "closed"].map((watch) => h("option", { value: watch, text: watchWords(watch) || WORDS.setup.watchAsItIs }));

const watchWords = (watch) => (watch === "closed" ? WORDS.setup.watchNever : watch === "0" ? "" : WORDS.setup.watchLater({ turns: Number(watch) }));

const valueOf = ({ value }) => value || WORDS.setup.otherValue;

/** The options that are not as usual, in a line. @param {import("../core/home.js").Setup} setup @returns {string} */
export function optionWords({ options }) {
  const changed = options.filter(({ isChanged }) => isChanged);
  if (!options.length) return "";
  return changed.length ? WORDS.setup.changedOptions({ options: changed.map((one) => `${called(one.name)} ${valueOf(one)}`) }) : WORDS.setup.usualOptions;
}

/** All of it. @param {import("../core/home.js").Setup} setup @returns {HTMLElement[]} */
export function setupParts(setup) {
  const { seats, bots, clock, isInvited, press, guests, watch, isAnonymous, options } = setup;
  const facts = [
    WORDS.setup.players({ seats, bots }),
    clockWords(clock),
    isInvited ? WORDS.setup.invited : "",
    PRESS[press],
    GUESTS[guests],
    watchWords(watch) && WORDS.setup.spectators({ when: watchWords(watch) }),
    isAnonymous ? WORDS.setup.anonymous : "",
    optionWords(setup),
  ];
  const rows = [...options].sort((one, other) => other.isChanged - one.isChanged);
  return [
    h("p", { text: `${facts.filter(Boolean).join(" · ")}.` }),
    rows.length > 0 && h(
      "details",
      { class: "more setup" },
      h("summary", { text: WORDS.setup.allOptions }),
      h("table", {}, h("caption", { class: "unseen", text: WORDS.setup.optionsOf }), h("tbody", {}, rows.map((one) => h("tr", {}, h("th", { scope: "row" }, called(one.name), one.help && h("span", { class: "hint", text: ` ${one.help}` })), h("td", {}, one.isChanged ? h("strong", { text: valueOf(one) }) : one.value || WORDS.setup.asUsual))))),
    ),
  ];
}
