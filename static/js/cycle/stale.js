/** Verdicts that are older than a change to their node or to the whole cycle. */
import { computed, effect } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { _, fill, number } from "../base/i18n.js";
import { textOf } from "../base/sentence.js";
import { store } from "../base/store.js";

/**
 * Read the changes again after each change, undo and completed command. Calls `onClientChange(cluster, before)` when a
 * client of the Kubernetes API made the newest one; `before` is the "cluster number …" that the page knew.
 */
export function followChanges(onClientChange) {
  let read = null;
  let early = false; // a change may not have been applied when they were read
  let newest = 0; // the only request whose answer counts
  effect(() => {
    const cluster = store.cluster.value;
    const key = cluster && `${cluster.id} ${cluster.can_undo?.number} ${cluster.can_redo?.number}`;
    const isBusy = ["queued", "running"].includes(cluster?.state);
    if (key === read && (isBusy || !early)) return;
    const before = read;
    const isNew = key !== read;
    read = key;
    early = isBusy;
    newest += 1;
    const mine = newest;
    if (!cluster) store.changes.value = [];
    else
      get(of(cluster.id, "changes")).then(
        ({ changes }) => mine === newest && (store.changes.value = changes),
        () => {},
      );
    if (isNew && cluster?.can_undo?.client) onClientChange(cluster, before);
  });
}

const NOTHING = { changes: [] };

/** The changes since the cycle on the screen, newest first; without any, one shared empty list. */
const since = computed(() => {
  const { cycle, seq } = store.shown.value?.record ?? {};
  const changes = cycle ? store.changes.value.filter((change) => change.seq > seq) : [];
  return changes.length ? { pod: cycle.pod, cycle: cycle.number, changes } : NOTHING;
});

const concerns = ({ everything, pods }, pod) => everything || pods.includes(pod);

/** Return the newest change that makes a node's verdict stale; null for none. */
export function staleFor(node) {
  const { pod, changes } = since.value;
  return changes.find((change) => concerns(change, pod) || change.nodes.includes(node)) ?? null;
}

/** The newest change that makes a verdict of the cycle stale, and the cycle's number; null for none. */
export const staleCycle = computed(() => {
  const { pod, cycle, changes } = since.value;
  const change = changes.find((one) => concerns(one, pod) || one.nodes.length > 0);
  return change ? { cycle, change } : null;
});

/** Format a change: "In cycle 2, before your change: update Node a". */
export const staleWords = (change) =>
  fill(_("In cycle {n}, before your change: {what}"), { n: number(since.peek().cycle), what: textOf(change, "what") });
