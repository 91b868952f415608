/** Two ways to send fewer requests during fast changes: a bounded cache and coalesced calls. */
import { hasJustScrubbed } from "./frame_scheduler.js";

const PATIENCE = 500; // ms that a request waits for the cursor to stop

/** A small cache that drops the least recently used entry. */
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

/** Wait for the frames of the result and of the matrix; return at once where nothing is drawn. */
async function drawn() {
  if (document.hidden) return;
  await nextFrame();
  await nextFrame();
  await new Promise((done) => setTimeout(done));
}

/** Wait until the cursor rests, so that no answer arrives for a cycle that was only passed. */
async function rested() {
  const since = performance.now();
  do await drawn();
  while (hasJustScrubbed() && performance.now() - since < PATIENCE);
}

/**
 * Call `work` (async) soon after each request, never twice at a time. Between two calls, rest as long as three calls
 * take, at least `rest` ms. The last request is always served. Pending drawing goes first.
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
      // After a failure the next request must still run.
      active = false;
    }
  }
  return () => {
    wanted = true;
    if (!active) drain();
  };
}
