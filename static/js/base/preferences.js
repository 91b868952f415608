/** Preferences of this browser: theme, panel sizes, switches. Each is a signal that writes itself to localStorage. */
import { effect, signal } from "../../vendor/preact.js";

const PREFIX = "playground.";

function read(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage may be full or forbidden. Preferences then last as long as the page.
  }
}

/** Return a signal that is stored under a name. */
function stored(name, otherwise) {
  const value = signal(read(name, otherwise));
  let first = true;
  effect(() => {
    const now = value.value;
    if (!first) write(name, now);
    first = false;
  });
  return value;
}

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = signal(darkSystem.matches ? "dark" : "light");

export const preferences = {
  theme: stored("theme", null), // null: the system's theme
  singleKeys: stored("singleKeys", true),
  pace: stored("pace", 4), // cycles per second; 0 = unlimited
  sizes: stored("sizes", { left: null, right: null, cluster: null }), // null: automatic
  closed: stored("closed", { left: false, right: false }),
  groupBy: stored("groupBy", null), // null: the server's first label
  map: stored("map", "map"), // map | table
  colour: stored("colour", "verdict"), // verdict | use | score | owner
  colourResource: stored("colourResource", ""), // "": each node's fullest resource
  values: stored("values", "weighted"), // raw | normalized | weighted
  controls: stored("controls", read("tour", false)), // true after the opening; earlier versions stored "tour"
  complete: stored("complete", false), // the matrix: every plugin on every node
  charts: stored("charts", false), // charts of the cluster over time
  source: stored("source", false), // the objects as YAML beside the canvas
  terminal: stored("terminal", false), // the panel of kubectl
  presenting: stored("presenting", false), // large text for a lecture room
  asCluster: stored("asCluster", false), // the editor refuses the changes that a real API server refuses
  lastCluster: stored("lastCluster", null),
  lessonLanguage: stored("lessonLanguage", null), // null: the page's language
  lessonSteps: stored("lessonSteps", {}), // {cluster: step}
};

export const theme = () => preferences.theme.value ?? systemTheme.value;

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Canvases need the theme, too. It changes with the system's, for example in the evening.
darkSystem.addEventListener("change", () => (systemTheme.value = darkSystem.matches ? "dark" : "light"));
effect(() => {
  document.documentElement.dataset.theme = theme();
});
