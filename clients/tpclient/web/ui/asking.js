// Questions before irreversible actions, and the player's choice of them.

import { WORDS } from "../words.js";
import { $, say } from "./dom.js";
import { keep, recalled } from "./memory.js";

const UNASKED = "tpclient-unasked";

/** Whether a question may be asked. @param {string} name which question */
export const isAsked = (name) => !unasked().has(name);

/** Ask a question from now on, or ask it no more. */
export function setAsked(name, asked) {
  const names = unasked();
  if (asked) names.delete(name);
  else names.add(name);
  keep(UNASKED, [...names].join(" "));
}

const unasked = () => new Set(recalled(UNASKED).split(" ").filter(Boolean));

/**
 * Ask, unless the player does not want to be asked this. Escape means no, and so does `stopAsking`.
 * @param {{title: string, text: string, yes: string, no?: string, name?: string}} question `name`: of one that can be
 *   turned off for good
 * @returns {Promise<boolean>}
 */
export function ask({ title, text, yes, no = WORDS.common.goBack, name = "" }) {
  if (name && !isAsked(name)) return Promise.resolve(true);
  const dialog = $("ask");
  if (dialog.open) return Promise.resolve(false);
  say($("ask-title"), title);
  say($("ask-text"), text);
  say($("ask-yes"), yes);
  say($("ask-no"), no);
  $("ask-box").hidden = !name;
  $("ask-again").checked = false;
  dialog.returnValue = "no";
  dialog.showModal();
  $("ask-no").focus(); // who presses Enter too quickly has lost nothing
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const isYes = dialog.returnValue === "yes";
      if (isYes && name && $("ask-again").checked) setAsked(name, false);
      resolve(isYes);
    }, { once: true });
  });
}

/** What is asked has become pointless, as by the end of the turn. */
export function stopAsking() {
  if ($("ask").open) $("ask").close("no");
}
