// Messages of the page: toasts, connection banner, screen reader texts.

import { WORDS } from "../words.js";
import { $, h, say } from "./dom.js";

const TOAST_SECONDS = 8;
const MOST_TOASTS = 4;

/**
 * Tell a sentence that needs no answer: seen for a while, and read out.
 * @param {"good"|"bad"|""} kind @param {boolean} ofTurn whether it is true for this turn only
 */
export function note(text, kind = "", ofTurn = false) {
  say($("status"), "");
  say($("status"), text);
  const box = h("p", { class: `toast ${kind}`, "data-of-turn": ofTurn, text });
  const close = h("button", { type: "button", "aria-label": WORDS.errors.closeNote, onclick: () => box.remove(), text: "×" });
  box.append(close);
  $("toasts").append(box);
  while ($("toasts").childElementCount > MOST_TOASTS) $("toasts").firstElementChild.remove();
  setTimeout(() => box.remove(), (kind === "bad" ? 2 : 1) * TOAST_SECONDS * 1000);
}

/** A turn begins: what was said of the one before is not true any more. */
export function forgetTurn() {
  for (const box of document.querySelectorAll("[data-of-turn]")) box.remove();
}

/** Tell something only to those who do not see the page. */
export function tell(text) {
  say($("status"), text);
}

/** A sentence that stays until the next one; "" takes it away. @param {{label: string, call: () => void}|null} button */
export function banner(text, button = null) {
  say($("banner-text"), text);
  $("banner").hidden = !text;
  $("banner-button").hidden = !button;
  if (button) {
    say($("banner-button"), button.label);
    $("banner-button").onclick = button.call;
  }
}

/** The sentence of an error, as every error ought to have one. */
export function sentence(error) {
  return error?.message || WORDS.errors.unknown;
}
