/** Actions on clusters: open, create, delete and restore. */
import { batch } from "../../vendor/preact.js";
import { get, clusterPath, post, remove } from "../base/api.js";
import { inClass, isFollower } from "../access/class_membership.js";
import { _, fill } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { isGuest } from "../base/guest.js";
import { atHead, emptyHistory, store } from "../base/store.js";
import { followCluster } from "../base/stream.js";
import { fold, forgetRecords, loadQueue, receive, refreshNode } from "../cycle/sync.js";
import { END, forgetMoments, storeMatrix, showMoment } from "../cycle/moment.js";
import { stopPlayback } from "../cycle/playback.js";
import { isWithin } from "../cycle/frame.js";

const TAIL = 200; // records read for the last moves and events
let endStream = () => {};
let openings = 0;

export async function loadClusters() {
  store.clusters.value = await get("clusters/");
}

export async function loadExamples() {
  if (!store.examples.peek()) store.examples.value = await get("examples/");
}

/** Return all columns of the timeline since the last reset, read page by page. */
async function loadHistory(id, state) {
  const history = emptyHistory(state.first_cycle);
  let from = state.first_cycle;
  while (from <= state.cycle) {
    const page = await get(`${clusterPath(id, "cycles")}?from=${from}&to=${state.cycle}`);
    if (!page.seq.length) break;
    for (const name of ["pod", "node", "outcome", "t", "seq"])
      for (const value of page[name]) history[name].push(value);
    for (const { cycle, by } of page.stopped) history.stopped.set(cycle, by);
    from += page.seq.length;
  }
  return history;
}

function closeCluster() {
  endStream();
  stopPlayback();
  forgetRecords();
  forgetMoments();
  batch(() => {
    store.shown.value = null;
    store.nodesBeforeCycle.value = null;
    store.queueAfterCycle.value = null;
    store.queueDuringCycle.value = null;
    store.nodes.value = null;
    store.queue.value = null;
    store.pod.value = null;
    store.node.value = null;
    store.moves.value = [];
    store.events.value = [];
    store.changes.value = [];
    store.busy.value = null;
    store.history.value = emptyHistory();
    store.cursor.value = { cycle: 0, step: 0 };
    store.pinned.value = { pod: null, node: null, plugin: null };
    store.hovered.value = { node: null, plugin: null };
    store.filter.value = "";
    store.connection.value = "idle";
  });
}

/** Close the open cluster without opening another one. */
export function leaveCluster() {
  openings += 1;
  closeCluster();
  store.cluster.value = null;
}

/** Open a cluster at a moment: {cycle, step, pinned} (all optional); without a cycle, follow the newest. */
export async function openCluster(id, moment = {}) {
  openings += 1;
  const ownOpening = openings;
  try {
    const state = await get(clusterPath(id));
    const tail = Math.max(0, state.revision - TAIL);
    const [history, nodes, queue, records] = await Promise.all([
      loadHistory(id, state),
      get(clusterPath(id, "nodes")),
      loadQueue(id),
      get(`${clusterPath(id, "records")}?after=${tail}&limit=${TAIL}&brief=1`),
    ]);
    if (ownOpening !== openings) return;
    closeCluster();
    batch(() => {
      store.cluster.value = state;
      store.history.value = history;
      store.nodes.value = nodes;
      store.queue.value = queue;
      store.following.value = false;
      if (moment.pinned) store.pinned.value = moment.pinned;
      fold(records.records.filter((record) => record.seq <= state.revision));
    });
    if (!isGuest) preferences.lastCluster.value = id;
    const last = history.first + history.pod.length - 1;
    const shownCycle = moment.cycle >= history.first && moment.cycle <= last ? moment.cycle : last;
    store.following.value = shownCycle === last && (moment.step ?? END) === END;
    if (last >= history.first) showMoment(shownCycle, moment.step ?? END);
    if (moment.step !== undefined) followFromEnd(ownOpening);
    if (moment.pinned?.node) refreshNode();
    connectStream(id, state.revision);
  } catch (error) {
    if (ownOpening === openings) reportError(error);
    throw error;
  }
}

/** Follow the newest cycle if the page reloads at its last step. */
function followFromEnd(ownOpening) {
  const stop = store.shown.subscribe((shown) => {
    if (!shown) return;
    queueMicrotask(() => stop());
    if (ownOpening === openings && atHead.peek() && !isWithin(shown)) store.following.value = true;
  });
}

function connectStream(id, after) {
  if (isGuest) {
    // A shared moment does not change any more.
    store.connection.value = "open";
    return;
  }
  endStream = followCluster(id, after, {
    records(records) {
      // After a reset, everything counted from the old start is stale.
      if (records.some((record) => record.kind === "reset"))
        openCluster(id, { pinned: store.pinned.peek() }).catch(() => {});
      else receive(records);
    },
    matrix: storeMatrix,
    state(state) {
      store.cluster.value = state;
    },
    restored() {
      openCluster(id, { pinned: store.pinned.peek() }).then(
        () => notify(_("The operator restored an earlier state of this cluster.")),
        () => {},
      );
    },
    connection(connection) {
      store.connection.value = connection;
    },
  });
}

/** Create a cluster and open it; `settings`: {name, example?, seed?, config?}. */
export async function createCluster(settings) {
  const cluster = await post("clusters/", settings);
  await openCluster(cluster.id);
  await loadClusters();
  return cluster;
}

/** Delete a cluster and open another one; for an hour it can be restored. */
export async function deleteCluster({ id, name }) {
  await remove(clusterPath(id));
  await forgetCluster(id);
  notify(fill(_("{name} is deleted. You can restore it for an hour."), { name }), {
    actions: [{ label: _("Restore"), run: () => restoreCluster(id) }],
  });
}

export async function restoreCluster(id) {
  try {
    await post(clusterPath(id, "restore"));
    await openCluster(id);
    await loadClusters();
  } catch (error) {
    reportError(error);
  }
}

/** Open another cluster, because this one is deleted. */
export async function forgetCluster(id) {
  await loadClusters();
  const next = store.clusters.peek()[0];
  if (store.cluster.peek()?.id !== id) return;
  if (next) return openCluster(next.id);
  leaveCluster();
  preferences.lastCluster.value = null;
}

/**
 * Open the first cluster: that of the address, else of a class, else the last one, else any; without one, the empty
 * page.
 */
export async function openFirstCluster(moment) {
  await Promise.all([loadClusters(), loadExamples()]);
  const shown = isFollower.peek() ? [inClass.peek().cluster] : [];
  const ids = [...shown, ...store.clusters.peek().map((cluster) => cluster.id)];
  const target = [moment.cluster, shown[0], preferences.lastCluster.peek(), ids[0]].find((id) => ids.includes(id));
  if (target !== undefined) await openCluster(target, target === moment.cluster ? moment : {});
}
