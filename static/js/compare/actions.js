/**
 * Comparing profiles: start, follow, cancel, look at where two sides part. The server's rows are the truth; this asks
 * for them.
 */
import { signal } from "../../vendor/preact.js";
import { get, of, post, remove } from "../base/api.js";
import { report } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { loadClusters, openCluster } from "../clusters/clusters.js";
import { toEnd } from "../drive/run.js";

const ASK_EVERY = 400; // ms while something runs
const MOST_SEEDS = 16;

export const compare = {
  saved: signal(null), // [comparison without runs], newest first; null while loading
  open: signal(null), // the comparison on the screen, with runs
  difference: signal(null), // of two of its sides: {a, b, seed, divergence, moved, moved_total}
  refused: signal([]), // why the last comparison was refused
};

let turn = 0;
const path = (...parts) => of(store.cluster.peek().id, "comparisons", ...parts);

export const isOver = (comparison) => !["queued", "running"].includes(comparison.state);

export async function loadComparisons() {
  compare.saved.value = await get(path());
}

/** So many seeds, from the cluster's own on. */
export const seedsFrom = (first, count) =>
  Array.from({ length: Math.min(Math.max(count, 1), MOST_SEEDS) }, (_unused, index) =>
    Math.min(first + index, Number.MAX_SAFE_INTEGER),
  );

/** `wanted`: {sides, seeds, at}. Follows the new comparison; a refusal stays in `refused`. */
export async function startComparison(wish) {
  compare.refused.value = [];
  try {
    const made = await post(path(), wish);
    show(made);
  } catch (error) {
    compare.refused.value = error.problems ?? [{ path: "", rule: error.message }];
  }
}

/** Put a comparison on the screen and follow it to its end. */
export function show(comparison) {
  turn += 1;
  compare.difference.value = null;
  compare.open.value = comparison;
  follow(comparison.id, turn);
}

export function leave() {
  turn += 1;
  compare.open.value = null;
  compare.difference.value = null;
}

async function follow(id, mine) {
  for (let failures = 0; mine === turn; ) {
    try {
      const found = await get(path(id));
      if (mine !== turn) return;
      compare.open.value = found;
      failures = 0;
      if (isOver(found)) return;
    } catch (error) {
      failures += 1;
      if (error.status || failures > 20) return report(error);
    }
    await new Promise((done) => setTimeout(done, ASK_EVERY));
  }
}

export async function cancelComparison() {
  try {
    compare.open.value = await post(path(compare.open.peek().id, "cancel"));
  } catch (error) {
    report(error);
  }
}

export async function deleteComparison(id) {
  try {
    await remove(path(id));
    await loadComparisons();
  } catch (error) {
    report(error);
  }
}

/** Fetch where two sides part; both must have a result with that seed. */
export async function loadDifference(a, b, seed) {
  const id = compare.open.peek().id;
  try {
    const found = await get(`${path(id, "difference")}?a=${a}&b=${b}&seed=${seed}`);
    if (compare.open.peek()?.id === id) compare.difference.value = found;
  } catch (error) {
    report(error);
  }
}

/** Open a moment of a run as a cluster of its own: its history is played first, then the moment is on the screen. */
export async function openMoment(side, seed, attempts) {
  try {
    const made = await post(path(compare.open.peek().id, "open"), { side, seed, attempts });
    closeDialog();
    await openCluster(made.id);
    toEnd();
    await loadClusters();
  } catch (error) {
    report(error);
  }
}

/** The address of a comparison's file: what = metrics | moved. */
export function fileOf(id, what, form, sides) {
  const query = new URLSearchParams({ what, format: form, ...sides });
  return `${document.body.dataset.api}${path(id, "export")}?${query}`;
}
