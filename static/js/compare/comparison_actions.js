/** Actions of profile comparisons: start, follow, cancel, fetch where two sides diverge. The server stores the rows. */
import { signal } from "../../vendor/preact.js";
import { get, clusterPath, post, remove } from "../base/api.js";
import { reportError } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { loadClusters, openCluster } from "../clusters/clusters.js";
import { goToEnd } from "../drive/run.js";

const ASK_EVERY = 400; // ms between polls while something runs
const MOST_SEEDS = 16;

export const compare = {
  saved: signal(null), // [comparison without runs], newest first; null while loading
  open: signal(null), // the comparison on the screen, with runs
  difference: signal(null), // of two sides: {a, b, seed, divergence, moved, moved_total}
  refused: signal([]), // why the last comparison was refused
};

let currentTurn = 0;
const comparisonPath = (...parts) => clusterPath(store.cluster.peek().id, "comparisons", ...parts);

export const isFinished = (comparison) => !["queued", "running"].includes(comparison.state);

export async function loadComparisons() {
  compare.saved.value = await get(comparisonPath());
}

/** Return `count` seeds, starting with the cluster's own. */
export const listSeeds = (first, count) =>
  Array.from({ length: Math.min(Math.max(count, 1), MOST_SEEDS) }, (_unused, index) =>
    Math.min(first + index, Number.MAX_SAFE_INTEGER),
  );

/** Start a comparison with `settings`: {sides, seeds, at}, and follow it; a refusal stays in `refused`. */
export async function startComparison(settings) {
  compare.refused.value = [];
  try {
    const comparison = await post(comparisonPath(), settings);
    showComparison(comparison);
  } catch (error) {
    compare.refused.value = error.problems ?? [{ path: "", rule: error.message }];
  }
}

/** Show a comparison and follow it to its end. */
export function showComparison(comparison) {
  currentTurn += 1;
  compare.difference.value = null;
  compare.open.value = comparison;
  pollComparison(comparison.id, currentTurn);
}

export function closeComparison() {
  currentTurn += 1;
  compare.open.value = null;
  compare.difference.value = null;
}

async function pollComparison(id, ownTurn) {
  for (let failures = 0; ownTurn === currentTurn; ) {
    try {
      const comparison = await get(comparisonPath(id));
      if (ownTurn !== currentTurn) return;
      compare.open.value = comparison;
      failures = 0;
      if (isFinished(comparison)) return;
    } catch (error) {
      failures += 1;
      if (error.status || failures > 20) return reportError(error);
    }
    await new Promise((done) => setTimeout(done, ASK_EVERY));
  }
}

export async function cancelComparison() {
  try {
    compare.open.value = await post(comparisonPath(compare.open.peek().id, "cancel"));
  } catch (error) {
    reportError(error);
  }
}

export async function deleteComparison(id) {
  try {
    await remove(comparisonPath(id));
    await loadComparisons();
  } catch (error) {
    reportError(error);
  }
}

/** Fetch where two sides diverge; both need a result with that seed. */
export async function loadDifference(a, b, seed) {
  const id = compare.open.peek().id;
  try {
    const difference = await get(`${comparisonPath(id, "difference")}?a=${a}&b=${b}&seed=${seed}`);
    if (compare.open.peek()?.id === id) compare.difference.value = difference;
  } catch (error) {
    reportError(error);
  }
}

/** Open a moment of a run as a new cluster, which first replays its history. */
export async function openMoment(side, seed, attempts) {
  try {
    const cluster = await post(comparisonPath(compare.open.peek().id, "open"), { side, seed, attempts });
    closeDialog();
    await openCluster(cluster.id);
    goToEnd();
    await loadClusters();
  } catch (error) {
    reportError(error);
  }
}

/** Return the address of a comparison's file; `what` is metrics or moved. */
export function fileAddress(id, what, form, sides) {
  const query = new URLSearchParams({ what, format: form, ...sides });
  return `${document.body.dataset.api}${comparisonPath(id, "export")}?${query}`;
}
