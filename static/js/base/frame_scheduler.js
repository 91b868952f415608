/**
 * The frame scheduler, which spreads drawing over animation frames. The views that show a change draw immediately, the
 * rest in later frames. While the user scrubs (drags, or holds a key down) the views take turns.
 */
import { batch, effect, signal } from "../../vendor/preact.js";

const SCRUB = 100; // ms; faster changes are a scrub
const REST = 200; // ms after the last change, until all views show the same value

let lastScrub = -Infinity;

/** Return true within `SCRUB` ms of a scrub. Requests to the server wait until then. */
export const hasJustScrubbed = () => performance.now() - lastScrub < SCRUB;

/** True from the second change of a scrub until it rests. */
export const scrubbing = signal(false);

/**
 * Return `count` signals that follow `source`: the first `immediate` immediately, the rest one per animation frame.
 * During a scrub all take turns, one per animation frame. After a rest, when `source` becomes null, and on a hidden
 * page (which has no animation frames) all change together.
 */
export function frameScheduler(source, count, immediate) {
  const followers = Array.from({ length: count }, () => signal(source.peek()));
  let turn = 0;
  let scheduled = false;
  let changed = -Infinity;
  let rest = 0;

  const isBehind = (follower) => follower.peek() !== source.peek();
  function updateNext() {
    scheduled = false;
    const follower = [...followers.slice(turn), ...followers.slice(0, turn)].find(isBehind);
    // All may have changed together since.
    if (!follower) return;
    follower.value = source.peek();
    turn = (followers.indexOf(follower) + 1) % count;
    schedule();
  }
  function schedule() {
    if (scheduled || !followers.some(isBehind)) return;
    scheduled = true;
    // A scrub calls this inside a frame. Otherwise the next frame belongs to the immediate views.
    requestAnimationFrame(() => (scrubbing.peek() ? updateNext() : requestAnimationFrame(updateNext)));
  }
  function updateAll() {
    batch(() => {
      for (const follower of followers) follower.value = source.peek();
      scrubbing.value = false;
    });
  }
  effect(() => {
    const value = source.value;
    const now = performance.now();
    const isScrub = value !== null && now - changed < SCRUB;
    changed = now;
    clearTimeout(rest);
    if (value === null || document.hidden) return updateAll();
    rest = setTimeout(updateAll, REST);
    if (isScrub) {
      lastScrub = now;
      scrubbing.value = true;
    } else {
      for (const follower of followers.slice(0, immediate)) follower.value = value;
      turn = immediate;
    }
    return schedule();
  });
  return followers;
}
