/** Playback of a cycle's steps and of recorded cycles at the user's pace. */
import { isSameSkip, stepsOf } from "./frame.js";
import { preferences, reducedMotion } from "../base/preferences.js";
import { isRunning, lastCycle, store } from "../base/store.js";
import { END, nextCycle, showMoment } from "./moment.js";

const STEP = 700; // ms that a step takes at 1×
const SHORTEST = 50;
const READING = 40; // ms between two checks whether a cycle has arrived

let cycleTimer = 0;
let stepTimer = 0;

/** Return true if steps show one by one; users who prefer reduced motion see whole cycles. */
const isSlow = () => preferences.pace.peek() > 0 && preferences.pace.peek() <= 1 && !reducedMotion();

export const playsStepByStep = () => isSlow() && isRunning(store.cluster.peek());

/** Play the steps of a cycle in four fifths of the time until the next one. */
export function playCycleSteps(cycle) {
  clearTimeout(stepTimer);
  showMoment(cycle, 1);
  const started = performance.now();
  const totalTime = 800 / preferences.pace.peek();
  const tick = () => {
    const shown = store.shown.peek();
    if (store.cursor.peek().cycle !== cycle) return;
    const count = shown?.record.cycle.number === cycle ? stepsOf(shown.record).length : 0;
    const step = Math.max(1, Math.ceil(((performance.now() - started) / totalTime) * count));
    if (count && step > shown.step) showMoment(cycle, step);
    if (!count || step < count) stepTimer = setTimeout(tick, READING);
  };
  stepTimer = setTimeout(tick, READING);
}

/** Play one cycle in slow motion from `step` on. The user asked for it, so it ignores reduced motion. */
export function playSteps(cycle, step) {
  stopPlayback();
  store.walking.value = true;
  showMoment(cycle, step);
  const tick = () => {
    const shown = store.shown.peek();
    if (!store.walking.peek() || store.cursor.peek().cycle !== cycle) return stopPlayback();
    if (shown?.record.cycle.number !== cycle) return void (stepTimer = setTimeout(tick, READING));
    const steps = stepsOf(shown.record);
    let next = shown.step + 1;
    while (next < steps.length && isSameSkip(steps[next - 1], steps[next])) next += 1;
    if (next > steps.length) return stopPlayback();
    showMoment(cycle, next);
    stepTimer = setTimeout(tick, timePerStep());
    return undefined;
  };
  stepTimer = setTimeout(tick, timePerStep());
}

const timePerStep = () => (preferences.pace.peek() ? Math.max(SHORTEST, STEP / preferences.pace.peek()) : SHORTEST);

export function playCycles(atEnd) {
  store.walking.value = true;
  const tick = () => {
    if (!store.walking.peek()) return;
    const next = nextCycle();
    if (!next) {
      store.walking.value = false;
      atEnd();
      return;
    }
    const pace = preferences.pace.peek();
    const isNew = next.cycle !== store.shown.peek()?.record.cycle.number;
    if (isSlow() && isNew) playCycleSteps(next.cycle);
    else showMoment(next.cycle, END);
    if (next.cycle >= lastCycle.peek() && pace === 0) return void (cycleTimer = setTimeout(tick, 0));
    cycleTimer = setTimeout(tick, pace ? 1000 / pace : 16);
  };
  tick();
}

export function stopPlayback() {
  clearTimeout(cycleTimer);
  clearTimeout(stepTimer);
  store.walking.value = false;
}

/** Show a recorded cycle from `step` on, and stop following new ones. */
export function goToCycle(cycle, step = END) {
  stopPlayback();
  store.following.value = false;
  showMoment(cycle, step);
}
