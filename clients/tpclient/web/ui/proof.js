// Requests that add a way into the account.
// Some time after the login, the server asks for the password again.

import { CODE, Refusal } from "../core/errors.js";
import { WORDS } from "../words.js";
import { h } from "./dom.js";

/**
 * Do something for which the server may want the password: then ask for it, and do it again.
 * @template T
 * @param {import("../core/player.js").Player} player
 * @param {(password: string) => Promise<T>} act
 * @returns {Promise<T>} rejects with the server's sentence, also if no password is given
 */
export async function withProof(player, act) {
  try {
    return await act("");
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== CODE.PASSWORD_NEEDED) throw error;
    const { providersOf } = await import("../core/providers.js");
    if (!(await providersOf(player)).hasPassword) throw error; // it says where to sign in again
    const password = document.getElementById("proof") ? "" : await askPassword();
    if (!password) throw error;
    return act(password);
  }
}

/** Ask for the password. @returns {Promise<string>} "" if none was given */
function askPassword() {
  const field = h("input", { id: "proof-password", type: "password", maxlength: 1024, autocomplete: "current-password", required: true });
  const dialog = h(
    "dialog",
    { id: "proof", "aria-labelledby": "proof-title" },
    h(
      "form",
      { class: "making", method: "dialog" },
      h("h2", { id: "proof-title", text: WORDS.proof.title }),
      h("p", { class: "hint", text: WORDS.proof.about }),
      h("label", { for: "proof-password", text: WORDS.common.password }),
      field,
      h(
        "div",
        { class: "row" },
        h("button", { type: "submit", class: "primary", value: "yes", text: WORDS.proof.confirm }),
        h("button", { type: "submit", value: "no", formnovalidate: true, text: WORDS.common.goBack }),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? field.value : "");
    }, { once: true });
  });
}
