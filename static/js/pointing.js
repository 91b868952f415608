/** Point at a part of the screen: bring it up, and put a frame around it for a moment. */
import { store } from "./store.js";

const SHOWN_FOR = 2400; // ms
const SETTLE = 60; // ms until a panel that was just opened is drawn

/** Where each view of a lesson's `point` is: its element, its tab in the narrow layout, its tab on the right. */
const PLACES = {
  cluster: { at: ".cluster", panel: "cluster" },
  compare: { at: ".top", panel: "cluster" },
  events: { at: ".side", panel: "details", side: "events" },
  matrix: { at: ".matrix", panel: "matrix" },
  pipeline: { at: ".pipeline", panel: "cluster" },
  pod: { at: ".side", panel: "details", side: "pod" },
  preemption: { at: ".side", panel: "details", side: "why" },
  profile: { at: ".side", panel: "details", side: "profile" },
  queues: { at: "#queues, .queues", panel: "queues" },
  scores: { at: ".side", panel: "details", side: "scores" },
  spread: { at: ".side", panel: "details", side: "why" },
  timeline: { at: ".timeline", panel: "cluster" },
  transport: { at: ".transport", panel: "cluster" },
  why: { at: ".side", panel: "details", side: "why" },
};

export function pointAt(view) {
  const place = PLACES[view];
  store.panel.value = place.panel;
  if (place.side) store.side.value = place.side;
  setTimeout(() => {
    const element = document.querySelector(place.at);
    if (!element) return;
    element.scrollIntoView({ block: "nearest" });
    element.classList.add("pointed-at");
    setTimeout(() => element.classList.remove("pointed-at"), SHOWN_FOR);
  }, SETTLE);
}
