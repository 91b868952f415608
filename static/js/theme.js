// Runs before the first paint, so that the page never flashes in the other theme. The rest is in base/preferences.js.
(() => {
  let stored = null;
  try {
    stored = JSON.parse(localStorage.getItem("playground.theme"));
  } catch {
    // Storage may be forbidden; then use the system's theme.
  }
  const dark = stored ? stored === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
