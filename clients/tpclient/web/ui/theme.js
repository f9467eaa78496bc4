// Dark or light: as the system says, or as this browser was told.

const KEY = "tpclient-theme";
const CHOICES = ["", "dark", "light"];

function chosen() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** Use the theme that was chosen last. */
export function applyTheme(theme = chosen()) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** Change to the other theme than the one that is seen now. */
export function nextTheme() {
  const now = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
  const theme = CHOICES[now === "dark" ? 2 : 1];
  applyTheme(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage it holds until the page is loaded again.
  }
}
