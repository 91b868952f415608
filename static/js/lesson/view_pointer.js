/** The pointer of a lesson: opens a view and frames it for a moment. */
import { pinPod } from "../cycle/selection.js";
import { preferences } from "../base/preferences.js";
import { showTab } from "../base/screen.js";
import { store } from "../base/store.js";
import { refreshNode } from "../cycle/sync.js";

const SHOWN_FOR = 2400; // ms
const SETTLE = 60; // ms until a newly opened panel is drawn

/**
 * The place of each view of a lesson's `point`: its element, its tab on a narrow page, its tab on the right, its
 * closable column.
 */
const PLACES = {
  cluster: { at: ".cluster", panel: "cluster" },
  compare: { at: ".top", panel: "cluster" },
  events: { at: ".side", panel: "details", side: "events" },
  matrix: { at: ".matrix", panel: "matrix" },
  pipeline: { at: ".pipeline", panel: "cluster" },
  pod: { at: ".side", panel: "details", side: "pod" },
  preemption: { at: ".side", panel: "details", side: "preemption" },
  profile: { at: ".side", panel: "details", side: "profile" },
  queues: { at: "#queues, .queues", panel: "queues", column: "left" },
  scores: { at: ".side", panel: "details", side: "scores" },
  spread: { at: ".side", panel: "details", side: "spread" },
  timeline: { at: ".timeline", panel: "cluster" },
  transport: { at: ".transport", panel: "cluster" },
  why: { at: ".side", panel: "details", side: "why" },
};

/** Pin the subject: a pod by namespace/name, else a node. */
function pinSubject(name) {
  if (name.includes("/")) return pinPod(name);
  store.pinned.value = { ...store.pinned.peek(), node: name };
  return refreshNode();
}

/** Point at `target`: a view and optionally a node or pod: "scores empty", "pod shop/web". */
export function pointAt(target) {
  const [view, name] = target.split(" ");
  const place = PLACES[view];
  const column = place.column ?? (place.side && "right");
  if (column) preferences.closed.value = { ...preferences.closed.peek(), [column]: false };
  store.panel.value = place.panel;
  if (place.side) showTab(place.side);
  if (name) pinSubject(name);
  setTimeout(() => {
    const element = document.querySelector(place.at);
    if (!element) return;
    element.scrollIntoView({ block: "nearest" });
    element.classList.add("pointed-at");
    setTimeout(() => element.classList.remove("pointed-at"), SHOWN_FOR);
  }, SETTLE);
}
