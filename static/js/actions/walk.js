/** The browser's own walking pace: through the steps of a cycle, and through cycles that are recorded already. */
import { stepsOf } from "../frame.js";
import { preferences, reducedMotion } from "../preferences.js";
import { isRunning, lastCycle, store } from "../store.js";
import { END, nextCycle, show } from "./moment.js";

let timer = 0;

/** At a pace that an eye can follow, a cycle that arrives is walked through step by step instead of shown at once. */
export function walksSlowly() {
  const pace = preferences.pace.peek();
  return pace > 0 && pace <= 1 && isRunning(store.cluster.peek()) && !reducedMotion();
}

/** Walk through the steps of a cycle in four fifths of the time until the next one comes. */
export function walkSteps(cycle) {
  clearTimeout(timer);
  show(cycle, 1);
  const started = performance.now();
  const whole = 800 / preferences.pace.peek();
  const tick = () => {
    const shown = store.shown.peek();
    if (store.cursor.peek().cycle !== cycle) return;
    const count = shown?.record.cycle.number === cycle ? stepsOf(shown.record).length : 0;
    const step = Math.max(1, Math.ceil(((performance.now() - started) / whole) * count));
    if (count && step > shown.step) show(cycle, step);
    if (!count || step < count) timer = setTimeout(tick, 40);
  };
  timer = setTimeout(tick, 40);
}

/** Play what is recorded, then call `atEnd`. */
export function walkCycles(atEnd) {
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
    show(next.cycle, END);
    if (next.cycle >= lastCycle.peek() && pace === 0) return void (timer = setTimeout(tick, 0));
    timer = setTimeout(tick, pace ? 1000 / pace : 16);
  };
  tick();
}

export function stopWalking() {
  clearTimeout(timer);
  store.walking.value = false;
}
