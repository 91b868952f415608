/**
 * While the cursor runs (a drag along the timeline, a key held down, a fast walk) the views take turns, a part of them
 * in each animation frame, so that no frame does the work of all. Three parts still draw 20 times a second each, and
 * 50 ms after the last change all show the same moment; 200 ms after it also where no animation frame comes.
 */
import { batch, effect, signal } from "../../vendor/preact.js";

const RUNS = 100; // ms; values that follow one another faster than this run
const RESTS = 200; // ms after the last of them

// When the last value of a source came that ran; others wait for a rest before they ask the server.
let ran = -Infinity;

export const isRunningFast = () => performance.now() - ran < RUNS;

/** Does the cursor run, until it rests? */
export const running = signal(false);

/** `count` copies of a signal: they change at once, or one an animation frame while the source runs. */
export function staggered(source, count) {
  const copies = Array.from({ length: count }, () => signal(source.peek()));
  let turn = 0;
  let scheduled = false;
  let changed = -Infinity;
  let rest = 0;

  const isBehind = (copy) => copy.peek() !== source.peek();
  function catchUp() {
    scheduled = false;
    const inOrder = [...copies.slice(turn), ...copies.slice(0, turn)];
    const copy = inOrder.find(isBehind);
    // Meanwhile all may have changed at once.
    if (!copy) return;
    copy.value = source.peek();
    turn = (copies.indexOf(copy) + 1) % count;
    ask();
  }
  function ask() {
    if (scheduled || !copies.some(isBehind)) return;
    scheduled = true;
    requestAnimationFrame(catchUp);
  }
  function all() {
    batch(() => {
      for (const copy of copies) copy.value = source.peek();
      running.value = false;
    });
  }
  effect(() => {
    const value = source.value;
    const now = performance.now();
    const runs = value !== null && now - changed < RUNS && !document.hidden;
    changed = now;
    clearTimeout(rest);
    if (!runs) return all();
    ran = now;
    running.value = true;
    rest = setTimeout(all, RESTS);
    return ask();
  });
  return copies;
}
