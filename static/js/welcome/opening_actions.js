/** Slow motion of the first decision of the first example, recorded when a user visits for the first time. */
import { effect, signal } from "../../vendor/preact.js";
import { stepsOf } from "../cycle/frame.js";
import { pointOf } from "../cycle/cycle_steps.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { opening, takeControls } from "./opening_state.js";
import { preferences, reducedMotion } from "../base/preferences.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { arriveAt } from "../cycle/sync.js";
import { startTour } from "./tour.js";
import { createCluster, loadClusters, loadExamples, openCluster, openFirstCluster } from "../clusters/clusters.js";
import { END, showMoment } from "../cycle/moment.js";
import { performCommand, togglePlay } from "../drive/run.js";

const SEED = 42;
// ms that a step stays: one that rejects or chooses nodes, one that adds points, one that changes nothing
const READ = 2400;
const LOOK = 1200;
const PASS = 600;
const STORY = 1; // cycles per second, slow enough to follow

/** True when the decision is made and nothing moves any more. */
export const decided = signal(false);

/** Return which steps of a cycle show, and how long: [{step, time}]. Skipped ones pass with the one before them. */
function listStops(record) {
  const steps = stepsOf(record);
  const shown = steps
    .map((entry, i) => ({ entry, step: i + 1, point: pointOf(entry) }))
    .filter(({ entry, step }) => entry.code !== "Skip" || step === steps.length);
  return shown.flatMap(({ entry, step, point }, i) => {
    const rejects = Boolean(entry.data?.rejected?.length);
    const isMain = rejects || ["QueueSort", "SelectHost"].includes(entry.point) || step === steps.length;
    // Equal scores for all nodes change nothing on the screen.
    const adds = entry.point === "NormalizeScore" || (entry.point === "Score" && entry.data?.min !== entry.data?.max);
    // Filters that reject nothing, and preparing points, show only their last step.
    const isLast = shown[i + 1]?.point !== point;
    return isMain || adds || isLast ? [{ step, time: isMain ? READ : adds ? LOOK : PASS }] : [];
  });
}

/**
 * Return the cluster of the first example, created if the user has none. Null if they have others: they know the page.
 */
async function firstExample() {
  const [example] = store.examples.peek();
  const owned = store.clusters.peek().filter((cluster) => cluster.example === example.slug);
  if (owned.length) return Math.min(...owned.map(({ id }) => id));
  if (store.clusters.peek().length) return null;
  return (await createCluster({ name: _(example.title), example: example.slug, seed: SEED })).id;
}

let timer = 0;

/** Play the decision on the screen from its start. */
export function replay() {
  clearTimeout(timer);
  const { record } = store.shown.peek();
  const { number } = record.cycle;
  if (reducedMotion()) {
    decided.value = true;
    return showMoment(number, END);
  }
  const stops = listStops(record);
  decided.value = false;
  const showStop = (i) => {
    if (!opening.peek()) return;
    showMoment(number, stops[i].step);
    if (i + 1 < stops.length) timer = setTimeout(() => showStop(i + 1), stops[i].time);
    else decided.value = true;
  };
  return showStop(0);
}

/** Show the first recorded decision; record it if there is none. */
async function firstDecision() {
  const { first, pod } = store.history.peek();
  if (pod.length) return showMoment(first, 1);
  store.following.value = true;
  arriveAt(1);
  return performCommand({ kind: "schedule_one" }, _("Scheduling the next pod"));
}

let opened = Promise.resolve(); // until the first decision is made

/** Open on the decision; a user who knows the page gets `moment` as usual. */
export function openOnDecision(moment) {
  opened = openDecision(moment);
  return opened;
}

async function openDecision(moment) {
  await Promise.all([loadClusters(), loadExamples()]);
  const id = await loadWithMessages(firstExample);
  if (id === null) {
    preferences.controls.value = true;
    opening.value = false;
    return openFirstCluster(moment);
  }
  await openCluster(id, { cycle: 1, step: 1 });
  const stop = effect(() => {
    if (!opening.value) return;
    if (store.cluster.value?.id !== id || store.dialog.value) return takeControls();
    if (store.shown.value) queueMicrotask(() => (stop(), endOnLeave(), replay()));
  });
  return firstDecision();
}

/** End the opening when the user opens another cluster or a dialog. */
function endOnLeave() {
  const { id } = store.cluster.peek();
  effect(() => {
    if (opening.value && (store.cluster.value?.id !== id || store.dialog.value)) takeControls();
    if (!opening.value) clearTimeout(timer);
  });
}

/** Handle the buttons of the opening. */
export async function startWatching() {
  takeControls();
  preferences.pace.value = STORY;
  // A quick user may press before the decision is ready.
  await opened;
  togglePlay();
}

export function openLessons() {
  takeControls();
  openDialog("lessons");
}

export function pasteYours() {
  takeControls();
  openDialog("import");
}

export function takeTour() {
  takeControls();
  startTour();
}
