// Settings of the page that this browser remembers, for all tabs.
// Without storage they last until a reload.

const here = new Map();

/** @returns {string} "" if nothing is remembered */
export function recalled(key) {
  if (here.has(key)) return here.get(key);
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Remember a text; "" forgets it. */
export function keep(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
    here.delete(key);
  } catch {
    here.set(key, text);
  }
}
