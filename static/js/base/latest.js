/** Two ways to keep requests few while much happens. */
import { hasJustScrubbed } from "./frame_scheduler.js";

const PATIENCE = 500; // ms that a request waits for the cursor to rest

/** A small map that forgets what was used longest ago. */
export class Recent {
  #limit;
  #map = new Map();

  constructor(limit) {
    this.#limit = limit;
  }

  get(key) {
    const value = this.#map.get(key);
    if (value === undefined) return undefined;
    this.#map.delete(key);
    this.#map.set(key, value);
    return value;
  }

  set(key, value) {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (this.#map.size > this.#limit) this.#map.delete(this.#map.keys().next().value);
  }

  delete(key) {
    this.#map.delete(key);
  }

  clear() {
    this.#map.clear();
  }
}

const nextFrame = () => new Promise(requestAnimationFrame);

/** After the frame of the result and that of the matrix; at once where nothing is drawn. */
async function drawn() {
  if (document.hidden) return;
  await nextFrame();
  await nextFrame();
  await new Promise((done) => setTimeout(done));
}

/** What a running cursor passes by is not worth a request: its answer would come in the middle of a later frame. */
async function rested() {
  const since = performance.now();
  do await drawn();
  while (hasJustScrubbed() && performance.now() - since < PATIENCE);
}

/**
 * Call `work` (async) soon after each request for it, never twice at a time, and rest between two calls for as long as
 * three calls take, at least `rest` ms: a slow answer makes itself rarer. The last request is always served. What is on
 * its way to the screen is drawn first.
 */
export function coalesce(work, rest) {
  let wanted = false;
  let active = false;
  async function drain() {
    active = true;
    try {
      while (wanted) {
        await rested();
        wanted = false;
        const started = performance.now();
        await work();
        const took = performance.now() - started;
        if (wanted) await new Promise((done) => setTimeout(done, Math.max(rest, took * 3)));
      }
    } finally {
      // Work that failed is not the last: who asks again is served.
      active = false;
    }
  }
  return () => {
    wanted = true;
    if (!active) drain();
  };
}
