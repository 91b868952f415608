/** The fold of stream records into the store, one batch per animation frame, with a refresh of stale data. */
import { batch, effect } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { END, LANE_ENTRIES, storeCycle, mergeBinding, movesOf, showMoment } from "./moment.js";
import { playCycleSteps, playsStepByStep } from "./playback.js";
import { coalesce } from "../base/latest.js";
import { fetchNodes } from "./node_columns.js";
import { podInView, store } from "../base/store.js";

const MOST_MOVES = 200;
const MOST_EVENTS = 300;
const SHOW_EVERY = 120; // ms between two shown cycles of an unlimited run

const PAUSE = 50; // ms without records
const BUSY = 503;
const ASK_BUSY_AGAIN = 1000; // ms

const waiting = [];
let lastFlush = 0;
let scheduled = false;
let arrival = END;
let lastShown = 0;
let showTimer = 0;
const listeners = new Set();

/** Show the next new cycle from this step on; later ones as a whole. */
export function arriveAt(step) {
  arrival = step;
}

/** Call `listener(records)` after each fold; return the function that removes the listener. */
export function onRecords(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function receive(records) {
  waiting.push(...records);
  if (scheduled) return;
  // After a pause, fold at once: waiting for a frame would only delay the response to a click.
  if (performance.now() - lastFlush > PAUSE) return flush();
  scheduled = true;
  // A hidden page has no animation frames, but its records must not accumulate.
  if (document.hidden) setTimeout(flush, 200);
  else requestAnimationFrame(flush);
}

function flush() {
  scheduled = false;
  lastFlush = performance.now();
  const records = waiting.splice(0);
  batch(() => fold(records));
  for (const listener of [...listeners]) listener(records);
}

/** Drop the records that are not folded yet, because another cluster opens. */
export function forgetRecords() {
  waiting.length = 0;
  clearTimeout(showTimer);
  arrival = END;
}

/** Fold a page of records into the store. */
export function fold(records) {
  const history = store.history.peek();
  let grew = false;
  const moves = [];
  const events = [];
  let objects = false;
  for (const record of records) {
    if (record.kind === "cycle") {
      grew = appendCycle(history, record) || grew;
      if (record.cycle.steps) storeCycle(record);
    }
    if (record.kind === "binding") {
      const index = record.cycle.number - history.first;
      if (history.outcome[index]) history.outcome[index] = record.cycle.outcome;
      grew = true;
      mergeBinding(record);
    }
    if (record.stoppedBy && record.cycle) history.stopped.set(record.cycle.number, record.stoppedBy);
    objects ||= record.kind !== "cycle";
    moves.push(...movesOf(record));
    for (const event of record.events ?? [])
      events.push({ ...event, t: record.t, seq: record.seq, cycle: record.cycle?.number });
  }
  const newest = records.at(-1);
  const cluster = store.cluster.peek();
  if (cluster && newest && newest.seq > cluster.revision)
    store.cluster.value = { ...cluster, revision: newest.seq, t: newest.t };
  if (moves.length)
    store.moves.value = [...moves.reverse().slice(0, MOST_MOVES), ...store.moves.peek()].slice(0, MOST_MOVES);
  if (events.length)
    store.events.value = [...events.reverse().slice(0, MOST_EVENTS), ...store.events.peek()].slice(0, MOST_EVENTS);
  if (grew) store.history.value = { ...history };
  refreshNodes();
  refreshQueue();
  if (objects || events.some((event) => event.object === podInView.peek())) refreshPod();
  if (grew && store.following.peek()) followHead();
}

function appendCycle(history, record) {
  const { number, pod, node, outcome } = record.cycle;
  const index = number - history.first;
  if (index < 0 || index < history.pod.length) return false;
  history.pod[index] = pod;
  history.node[index] = node;
  history.outcome[index] = outcome;
  history.t[index] = record.t;
  history.seq[index] = record.seq;
  return true;
}

/** Show the newest cycle, at a limited rate. */
function followHead() {
  clearTimeout(showTimer);
  const wait = arrival === END ? lastShown + SHOW_EVERY - performance.now() : 0;
  if (wait > 0) {
    showTimer = setTimeout(() => store.following.peek() && followHead(), wait);
    return;
  }
  lastShown = performance.now();
  const history = store.history.peek();
  const newest = history.first + history.pod.length - 1;
  if (arrival === END && playsStepByStep()) playCycleSteps(newest);
  else showMoment(newest, arrival);
  arrival = END;
}

/** Return the present queues of a cluster. */
export const loadQueue = (id) => get(`${clusterPath(id, "queue")}?limit=${LANE_ENTRIES}`);

/**
 * Store the server's answer about a cluster at `answer.revision`, unless a newer one is stored; return false if another
 * cluster is open.
 */
function storeNewer(part, id, answer) {
  if (store.cluster.peek()?.id !== id) return false;
  if (!(part.peek()?.revision > answer.revision)) part.value = answer;
  return true;
}

/**
 * Store the `fields` of the open cluster that a request has changed. The rest of its answer may be older than the
 * stream.
 */
export function storeChanged(id, answer, fields) {
  const cluster = store.cluster.peek();
  if (cluster?.id !== id) return;
  store.cluster.value = { ...cluster, ...Object.fromEntries(fields.map((field) => [field, answer[field]])) };
}

/**
 * Update a part of the open cluster by `load(id)`, and ask a busy server again because no record may follow. Return
 * false without a connection, or if another cluster opened.
 */
async function update(part, load) {
  const id = store.cluster.peek()?.id;
  while (id && store.cluster.peek()?.id === id) {
    try {
      return storeNewer(part, id, await load(id));
    } catch (error) {
      // The page reports the lost connection and asks again after a reconnect.
      if (error.status !== BUSY) return false;
    }
    await new Promise((done) => setTimeout(done, ASK_BUSY_AGAIN));
  }
  return false;
}

/** Update the queues; return false without a connection, or if another cluster opened. */
export const updateQueue = () => update(store.queue, loadQueue);

const refreshNodes = coalesce(() => update(store.nodes, (id) => fetchNodes(id, null)), 250);
const refreshQueue = coalesce(updateQueue, 200);

// Requests during the lost connection had no answer, and no new record may follow.
let wasLost = false;
effect(() => {
  const connection = store.connection.value;
  if (connection === "open" && wasLost) {
    refreshNodes();
    refreshQueue();
  }
  wasLost = connection === "lost";
});

/** Fetch the details of the selected pod and the requests of the cycle's pod. */
export const refreshPod = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  const inCycle = store.shown.peek()?.record.cycle.pod ?? null;
  const viewed = podInView.peek();
  if (!id) return;
  for (const key of new Set([inCycle, viewed])) {
    if (!key) continue;
    try {
      const detail = await get(clusterPath(id, "pods", ...key.split("/")));
      if (store.cluster.peek()?.id !== id) return;
      if (key === inCycle) store.requests.value = { pod: key, requests: detail.requests };
      if (key === podInView.peek()) store.pod.value = { key, ...detail };
    } catch (error) {
      if (error.status === 404 && key === viewed) store.pod.value = { key, gone: true };
    }
  }
}, 150);

export const refreshNode = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  const name = store.pinned.peek().node;
  if (!id || !name) return;
  try {
    const detail = await get(clusterPath(id, "nodes", name));
    if (store.pinned.peek().node === name) store.node.value = { name, ...detail };
  } catch (error) {
    if (error.status === 404) store.node.value = { name, gone: true };
  }
}, 250);
