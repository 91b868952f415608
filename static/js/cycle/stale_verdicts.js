/** Verdicts that are older than a change to their node or to the whole cycle. */
import { computed, effect } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { translatedText } from "../base/sentence.js";
import { store } from "../base/store.js";

/**
 * Read the changes again after each change, undo and completed command. Calls `onClientChange(cluster, before)` when a
 * client of the Kubernetes API made the newest one; `before` is the "cluster number …" that the page knew.
 */
export function followChanges(onClientChange) {
  let loadedKey = null;
  let mayBeEarly = false; // a change may not have been applied when they were read
  let newestRequest = 0; // the only request whose answer counts
  effect(() => {
    const cluster = store.cluster.value;
    const key = cluster && `${cluster.id} ${cluster.can_undo?.number} ${cluster.can_redo?.number}`;
    const isBusy = ["queued", "running"].includes(cluster?.state);
    if (key === loadedKey && (isBusy || !mayBeEarly)) return;
    const before = loadedKey;
    const isNew = key !== loadedKey;
    loadedKey = key;
    mayBeEarly = isBusy;
    newestRequest += 1;
    const ownRequest = newestRequest;
    if (!cluster) store.changes.value = [];
    else
      get(clusterPath(cluster.id, "changes")).then(
        ({ changes }) => ownRequest === newestRequest && (store.changes.value = changes),
        () => {},
      );
    if (isNew && cluster?.can_undo?.client) onClientChange(cluster, before);
  });
}

const NOTHING = { changes: [] };

/** The changes since the cycle on the screen, newest first; without any, one shared empty list. */
const changesSinceShown = computed(() => {
  const { cycle, seq } = store.shown.value?.record ?? {};
  const changes = cycle ? store.changes.value.filter((change) => change.seq > seq) : [];
  return changes.length ? { pod: cycle.pod, cycle: cycle.number, changes } : NOTHING;
});

const isAbout = ({ everything, pods }, pod) => everything || pods.includes(pod);

/** Return the newest change that makes a node's verdict stale; null for none. */
export function staleChangeFor(node) {
  const { pod, changes } = changesSinceShown.value;
  return changes.find((change) => isAbout(change, pod) || change.nodes.includes(node)) ?? null;
}

/** The newest change that makes a verdict of the cycle stale, and the cycle's number; null for none. */
export const staleCycle = computed(() => {
  const { pod, cycle, changes } = changesSinceShown.value;
  const change = changes.find((one) => isAbout(one, pod) || one.nodes.length > 0);
  return change ? { cycle, change } : null;
});

/** Format a change: "In cycle 2, before your change: update Node a". */
export const staleText = (change) =>
  fill(_("In cycle {n}, before your change: {what}"), {
    n: formatNumber(changesSinceShown.peek().cycle),
    what: translatedText(change, "what"),
  });
