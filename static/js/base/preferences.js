/** What this browser remembers: theme, panel sizes, switches. Each is a signal that writes itself to localStorage. */
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
    // Storage may be full or forbidden; the page works without a memory.
  }
}

/** A remembered signal. */
function kept(name, otherwise) {
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
  theme: kept("theme", null), // null: as the system says
  singleKeys: kept("singleKeys", true),
  pace: kept("pace", 4), // cycles a second; 0 = as fast as it goes
  sizes: kept("sizes", { left: null, right: null, cluster: null }), // null: as the page sees fit
  closed: kept("closed", { left: false, right: false }),
  groupBy: kept("groupBy", null), // null: the first label that the server names
  map: kept("map", "map"), // map | table
  colour: kept("colour", "verdict"), // verdict | use | score
  colourResource: kept("colourResource", ""), // "": each node's fullest
  values: kept("values", "weighted"), // raw | normalized | weighted
  controls: kept("controls", read("tour", false)), // taken once; who had the tour of before has them too
  complete: kept("complete", false), // the matrix: every plugin on every node
  source: kept("source", false), // the objects as YAML beside the canvas
  presenting: kept("presenting", false), // large, for a room
  asCluster: kept("asCluster", false), // the editor refuses what a cluster's API server refuses
  lastCluster: kept("lastCluster", null),
  lessonLanguage: kept("lessonLanguage", null), // null: the page's
  lessonSteps: kept("lessonSteps", {}), // {cluster: step}
};

export const theme = () => preferences.theme.value ?? systemTheme.value;

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// What is painted on a canvas asks for the theme, too: all of it changes when the system's does, in the evening.
darkSystem.addEventListener("change", () => (systemTheme.value = darkSystem.matches ? "dark" : "light"));
effect(() => {
  document.documentElement.dataset.theme = theme();
});
