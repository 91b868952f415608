/** The live re-run: the result of the cycle on the screen with the draft. It changes nothing. */
import { signal } from "../../vendor/preact.js";
import { clusterPath, post } from "../base/api.js";
import { store } from "../base/store.js";

const PAUSE = 60; // ms after the last edit

/** {state: "none" | "asking" | "there" | "refused", answer, problems, took}: a newer draft dims the last answer. */
export const rerun = signal({ state: "none", answer: null, problems: [], took: 0 });

let timer = 0;
let isAsking = false;
let waitingDraft = null; // the newest draft without a request
let generation = 0; // counts calls of `forgetRerun`, so that earlier answers are dropped

export function forgetRerun() {
  clearTimeout(timer);
  waitingDraft = null;
  generation += 1;
  rerun.value = { state: "none", answer: null, problems: [], took: 0 };
}

/** Run a draft soon; a newer draft replaces one that waits. */
export function tryDraft(yaml) {
  waitingDraft = yaml;
  rerun.value = { ...rerun.peek(), state: "asking" };
  clearTimeout(timer);
  timer = setTimeout(requestRerun, PAUSE);
}

async function requestRerun() {
  if (isAsking || waitingDraft === null) return;
  const cluster = store.cluster.peek();
  if (!cluster) return;
  const yaml = waitingDraft;
  const ownGeneration = generation;
  waitingDraft = null;
  isAsking = true;
  const started = performance.now();
  const cycle = store.shown.peek()?.record.cycle.number;
  try {
    const answer = await post(
      clusterPath(cluster.id, "config", "try"),
      cycle === undefined ? { yaml } : { yaml, cycle },
    );
    const took = performance.now() - started;
    // Even with a newer draft waiting, this answer shows dimmed, so that the view follows the slider.
    if (ownGeneration === generation)
      rerun.value = { state: waitingDraft === null ? "there" : "asking", answer, problems: [], took };
  } catch (error) {
    const problems = error.problems ?? [{ path: "", rule: error.message }];
    if (ownGeneration === generation && waitingDraft === null)
      rerun.value = { ...rerun.peek(), state: "refused", problems };
  } finally {
    isAsking = false;
    if (waitingDraft !== null) requestRerun();
  }
}
