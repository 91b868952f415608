/** The live re-run: the result of the cycle on the screen with the draft. It changes nothing. */
import { signal } from "../../vendor/preact.js";
import { of, post } from "../base/api.js";
import { store } from "../base/store.js";

const PAUSE = 60; // ms after the last edit

/** {state: "none" | "asking" | "there" | "refused", answer, problems, took}: a newer draft dims the last answer. */
export const effect = signal({ state: "none", answer: null, problems: [], took: 0 });

let timer = 0;
let asking = false;
let wanted = null; // the newest draft without a request
let life = 0; // counts calls of `forgetEffect`, so that earlier answers are dropped

export function forgetEffect() {
  clearTimeout(timer);
  wanted = null;
  life += 1;
  effect.value = { state: "none", answer: null, problems: [], took: 0 };
}

/** Request a re-run soon; a newer draft replaces a waiting one. */
export function tryDraft(yaml) {
  wanted = yaml;
  effect.value = { ...effect.peek(), state: "asking" };
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
}

async function ask() {
  if (asking || wanted === null) return;
  const cluster = store.cluster.peek();
  if (!cluster) return;
  const yaml = wanted;
  const mine = life;
  wanted = null;
  asking = true;
  const started = performance.now();
  const cycle = store.shown.peek()?.record.cycle.number;
  try {
    const answer = await post(of(cluster.id, "config", "try"), cycle === undefined ? { yaml } : { yaml, cycle });
    const took = performance.now() - started;
    // Even with a newer draft waiting, this answer shows dimmed, so that the view follows the slider.
    if (mine === life) effect.value = { state: wanted === null ? "there" : "asking", answer, problems: [], took };
  } catch (error) {
    const problems = error.problems ?? [{ path: "", rule: error.message }];
    if (mine === life && wanted === null) effect.value = { ...effect.peek(), state: "refused", problems };
  } finally {
    asking = false;
    if (wanted !== null) ask();
  }
}
