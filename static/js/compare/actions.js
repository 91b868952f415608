/** Actions of profile comparisons: start, follow, cancel, fetch where two sides diverge. The server stores the rows. */
import { signal } from "../../vendor/preact.js";
import { get, of, post, remove } from "../base/api.js";
import { report } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { loadClusters, openCluster } from "../clusters/clusters.js";
import { toEnd } from "../drive/run.js";

const ASK_EVERY = 400; // ms between polls while something runs
const MOST_SEEDS = 16;

export const compare = {
  saved: signal(null), // [comparison without runs], newest first; null while loading
  open: signal(null), // the comparison on the screen, with runs
  difference: signal(null), // of two sides: {a, b, seed, divergence, moved, moved_total}
  refused: signal([]), // why the last comparison was refused
};

let turn = 0;
const path = (...parts) => of(store.cluster.peek().id, "comparisons", ...parts);

export const isOver = (comparison) => !["queued", "running"].includes(comparison.state);

export async function loadComparisons() {
  compare.saved.value = await get(path());
}

/** Return `count` seeds, starting with the cluster's own. */
export const seedsFrom = (first, count) =>
  Array.from({ length: Math.min(Math.max(count, 1), MOST_SEEDS) }, (_unused, index) =>
    Math.min(first + index, Number.MAX_SAFE_INTEGER),
  );

/** Start a comparison of `wish`: {sides, seeds, at}, and follow it; a refusal stays in `refused`. */
export async function startComparison(wish) {
  compare.refused.value = [];
  try {
    const made = await post(path(), wish);
    show(made);
  } catch (error) {
    compare.refused.value = error.problems ?? [{ path: "", rule: error.message }];
  }
}

/** Show a comparison and follow it to its end. */
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

/** Fetch where two sides diverge; both need a result with that seed. */
export async function loadDifference(a, b, seed) {
  const id = compare.open.peek().id;
  try {
    const found = await get(`${path(id, "difference")}?a=${a}&b=${b}&seed=${seed}`);
    if (compare.open.peek()?.id === id) compare.difference.value = found;
  } catch (error) {
    report(error);
  }
}

/** Open a moment of a run as a new cluster, which first replays its history. */
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

/** Return the address of a comparison's file; `what` is metrics or moved. */
export function fileOf(id, what, form, sides) {
  const query = new URLSearchParams({ what, format: form, ...sides });
  return `${document.body.dataset.api}${path(id, "export")}?${query}`;
}
