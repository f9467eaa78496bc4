// Dark or light theme: the system's, or the choice in this browser.

import { keep, recalled } from "./memory.js";

const KEY = "tpclient-theme";

/** Use the theme that was chosen last. */
export function applyTheme(theme = recalled(KEY)) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** Change to the other theme than the one that is seen now. */
export function nextTheme() {
  const now = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
  const theme = now === "dark" ? "light" : "dark";
  applyTheme(theme);
  keep(KEY, theme);
}
