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
  theme: stored("theme", null), // null: as the system says
  singleKeys: stored("singleKeys", true),
  pace: stored("pace", 4), // cycles a second; 0 = as fast as it goes
  sizes: stored("sizes", { left: null, right: null, cluster: null }), // null: as the page sees fit
  closed: stored("closed", { left: false, right: false }),
  groupBy: stored("groupBy", null), // null: the first label that the server names
  map: stored("map", "map"), // map | table
  colour: stored("colour", "verdict"), // verdict | use | score | owner
  colourResource: stored("colourResource", ""), // "": each node's fullest
  values: stored("values", "weighted"), // raw | normalized | weighted
  controls: stored("controls", read("tour", false)), // taken once; who had the tour of before has them too
  complete: stored("complete", false), // the matrix: every plugin on every node
  charts: stored("charts", false), // the cluster in numbers over time
  source: stored("source", false), // the objects as YAML beside the canvas
  terminal: stored("terminal", false), // kubectl's panel there
  presenting: stored("presenting", false), // large, for a room
  asCluster: stored("asCluster", false), // the editor refuses what a cluster's API server refuses
  lastCluster: stored("lastCluster", null),
  lessonLanguage: stored("lessonLanguage", null), // null: the page's
  lessonSteps: stored("lessonSteps", {}), // {cluster: step}
};

export const theme = () => preferences.theme.value ?? systemTheme.value;

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// What is painted on a canvas asks for the theme, too: all of it changes when the system's does, in the evening.
darkSystem.addEventListener("change", () => (systemTheme.value = darkSystem.matches ? "dark" : "light"));
effect(() => {
  document.documentElement.dataset.theme = theme();
});
