/** Actions on clusters: open, create, delete and restore. */
import { batch } from "../../vendor/preact.js";
import { get, of, post, remove } from "../base/api.js";
import { inClass, isFollower } from "../access/class_membership.js";
import { _, fill } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { isGuest } from "../base/guest.js";
import { atHead, emptyHistory, store } from "../base/store.js";
import { follow } from "../base/stream.js";
import { fold, forgetRecords, loadQueue, receive, refreshNode } from "../cycle/sync.js";
import { END, forgetMoments, keepMatrix, show } from "../cycle/moment.js";
import { stopWalking } from "../cycle/walk.js";
import { isWithin } from "../cycle/frame.js";

const TAIL = 200; // records read for the last moves and events
let endStream = () => {};
let opening = 0;

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
    const page = await get(`${of(id, "cycles")}?from=${from}&to=${state.cycle}`);
    if (!page.seq.length) break;
    for (const name of ["pod", "node", "outcome", "t", "seq"])
      for (const value of page[name]) history[name].push(value);
    for (const { cycle, by } of page.stopped) history.stopped.set(cycle, by);
    from += page.seq.length;
  }
  return history;
}

function close() {
  endStream();
  stopWalking();
  forgetRecords();
  forgetMoments();
  batch(() => {
    store.shown.value = null;
    store.found.value = null;
    store.queueThen.value = null;
    store.queueWithin.value = null;
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
  opening += 1;
  close();
  store.cluster.value = null;
}

/** Open a cluster at a moment: {cycle, step, pinned} (all optional); without a cycle, follow the newest. */
export async function openCluster(id, moment = {}) {
  opening += 1;
  const mine = opening;
  try {
    const state = await get(of(id));
    const tail = Math.max(0, state.revision - TAIL);
    const [history, nodes, queue, records] = await Promise.all([
      loadHistory(id, state),
      get(of(id, "nodes")),
      loadQueue(id),
      get(`${of(id, "records")}?after=${tail}&limit=${TAIL}&brief=1`),
    ]);
    if (mine !== opening) return;
    close();
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
    const wanted = moment.cycle >= history.first && moment.cycle <= last ? moment.cycle : last;
    store.following.value = wanted === last && (moment.step ?? END) === END;
    if (last >= history.first) show(wanted, moment.step ?? END);
    if (moment.step !== undefined) followFromEnd(mine);
    if (moment.pinned?.node) refreshNode();
    connect(id, state.revision);
  } catch (error) {
    if (mine === opening) report(error);
    throw error;
  }
}

/** Follow the newest cycle if the page reloads at its last step. */
function followFromEnd(mine) {
  const stop = store.shown.subscribe((shown) => {
    if (!shown) return;
    queueMicrotask(() => stop());
    if (mine === opening && atHead.peek() && !isWithin(shown)) store.following.value = true;
  });
}

function connect(id, after) {
  if (isGuest) {
    // A shared moment does not change any more.
    store.connection.value = "open";
    return;
  }
  endStream = follow(id, after, {
    records(records) {
      // After a reset, everything counted from the old start is stale.
      if (records.some((record) => record.kind === "reset"))
        openCluster(id, { pinned: store.pinned.peek() }).catch(() => {});
      else receive(records);
    },
    matrix: keepMatrix,
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

/** Create a cluster and open it; `wish`: {name, example?, seed?, config?}. */
export async function createCluster(wish) {
  const made = await post("clusters/", wish);
  await openCluster(made.id);
  await loadClusters();
  return made;
}

/** Delete a cluster and open another one; for an hour it can be restored. */
export async function deleteCluster({ id, name }) {
  await remove(of(id));
  await forgetCluster(id);
  notify(fill(_("{name} is deleted; for an hour it can be brought back."), { name }), {
    actions: [{ label: _("Bring it back"), run: () => restoreCluster(id) }],
  });
}

export async function restoreCluster(id) {
  try {
    await post(of(id, "restore"));
    await openCluster(id);
    await loadClusters();
  } catch (error) {
    report(error);
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
export async function start(moment) {
  await Promise.all([loadClusters(), loadExamples()]);
  const shown = isFollower.peek() ? [inClass.peek().cluster] : [];
  const ids = [...shown, ...store.clusters.peek().map((cluster) => cluster.id)];
  const wanted = [moment.cluster, shown[0], preferences.lastCluster.peek(), ids[0]].find((id) => ids.includes(id));
  if (wanted !== undefined) await openCluster(wanted, wanted === moment.cluster ? moment : {});
}
