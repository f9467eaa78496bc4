// Typed and pasted text, in one form.
// Keyboards, editors and mail programs write the same text in several ways.

/** Characters that cannot be seen, without those that join letters in some scripts. */
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** A name or words: composed letters, plain spaces, and nothing that cannot be seen. @param {string} typed */
export const plainText = (typed) => typed.normalize("NFC").replace(UNSEEN, "").replace(/\p{Zs}/gu, " ").trim();

/** A number or a code: also plain letters, digits and dashes for wide letters and the dashes of editors. @param {string} typed */
export const plainCode = (typed) => plainText(typed.normalize("NFKC").replace(/[\u2010-\u2015\u2212]/g, "-"));

/** A code in the address of a page. @param {string} word @returns {string} "" if it is none */
export function codeInAddress(word) {
  try {
    return /^[\w-]+/.exec(plainCode(decodeURIComponent(word)))?.[0] ?? "";
  } catch {
    return ""; // what is no address at all
  }
}
