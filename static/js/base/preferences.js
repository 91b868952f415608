/** Preferences of this browser: theme, panel sizes, switches. Each is a signal that writes itself to localStorage. */
import { effect, signal } from "../../vendor/preact.js";

const PREFIX = "playground.";

function readPreference(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function writePreference(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage may be full or forbidden. Preferences then last as long as the page.
  }
}

function storedSignal(name, otherwise) {
  const value = signal(readPreference(name, otherwise));
  let first = true;
  effect(() => {
    const now = value.value;
    if (!first) writePreference(name, now);
    first = false;
  });
  return value;
}

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = signal(darkSystem.matches ? "dark" : "light");

export const preferences = {
  theme: storedSignal("theme", null), // null: the system's theme
  singleKeys: storedSignal("singleKeys", true),
  pace: storedSignal("pace", 4), // cycles per second; 0 = unlimited
  sizes: storedSignal("sizes", { left: null, right: null, cluster: null }), // null: automatic
  closed: storedSignal("closed", { left: false, right: false }),
  groupBy: storedSignal("groupBy", null), // null: the server's first label
  map: storedSignal("map", "map"), // map | table
  colour: storedSignal("colour", "verdict"), // verdict | use | score | owner
  colourResource: storedSignal("colourResource", ""), // "": each node's fullest resource
  values: storedSignal("values", "weighted"), // raw | normalized | weighted
  controls: storedSignal("controls", readPreference("tour", false)), // true after the opening, before called "tour"
  complete: storedSignal("complete", false), // the matrix: every plugin on every node
  charts: storedSignal("charts", false), // charts of the cluster over time
  source: storedSignal("source", false), // the objects as YAML beside the canvas
  terminal: storedSignal("terminal", false), // the panel of kubectl
  presenting: storedSignal("presenting", false), // large text for a lecture room
  asCluster: storedSignal("asCluster", false), // the editor refuses the changes that a real API server refuses
  lastCluster: storedSignal("lastCluster", null),
  lessonLanguage: storedSignal("lessonLanguage", null), // null: the page's language
  lessonSteps: storedSignal("lessonSteps", {}), // {cluster: step}
};

export const theme = () => preferences.theme.value ?? systemTheme.value;

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Canvases need the theme, too. It changes with the system's, for example in the evening.
darkSystem.addEventListener("change", () => (systemTheme.value = darkSystem.matches ? "dark" : "light"));
effect(() => {
  document.documentElement.dataset.theme = theme();
});
