/**
 * No frame does the work of all views. What a single change is about is drawn at once, the rest in the frames after it.
 * While the cursor runs (a drag, a key held down) the views take turns, a part in each animation frame: four parts
 * draw 15 times a second each; 200 ms after the last change all show the same moment, also where no frame comes.
 */
import { batch, effect, signal } from "../../vendor/preact.js";

const RUNS = 100; // ms; values that follow one another faster than this run
const RESTS = 200; // ms after the last of them

// When the last value of a source came that ran; others wait for a rest before they ask the server.
let ran = -Infinity;

export const isRunningFast = () => performance.now() - ran < RUNS;

/** Does the cursor run, until it rests? */
export const running = signal(false);

/**
 * `count` copies of a signal: the first `atOnce` change with it, the others in a frame each; while it runs all take
 * turns, and all change together when it has nothing any more.
 */
export function staggered(source, count, atOnce) {
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
    // While it runs this is asked within a frame; else before one, which is for what changed at once.
    requestAnimationFrame(() => (running.peek() ? catchUp() : requestAnimationFrame(catchUp)));
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
    const runs = value !== null && now - changed < RUNS;
    changed = now;
    clearTimeout(rest);
    if (value === null || document.hidden) return all();
    rest = setTimeout(all, RESTS);
    if (runs) {
      ran = now;
      running.value = true;
    } else {
      for (const copy of copies.slice(0, atOnce)) copy.value = value;
      turn = atOnce;
    }
    return ask();
  });
  return copies;
}
