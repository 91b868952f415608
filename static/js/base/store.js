/** The one store. Views read it and call actions; only actions and base/sync.js write it. */
import { computed, effect, signal } from "../../vendor/preact.js";
import { frameAt, stepsOf } from "../cycle/frame.js";
import { staggered } from "./staggered.js";

/**
 * Columns of the cycles from `first` on; index = number − first. Arrays grow in place, the wrapper is replaced to tell.
 */
export const emptyHistory = (first = 1) => ({
  first,
  pod: [],
  node: [],
  outcome: [],
  t: [],
  seq: [],
  stopped: new Map(),
});

export const store = {
  clusters: signal(null), // [state], null while loading
  examples: signal(null),
  cluster: signal(null), // the open cluster's state
  connection: signal("idle"), // idle | open | lost | denied | deleted
  history: signal(emptyHistory()),
  cursor: signal({ cycle: 0, step: 0 }), // the moment that the user chose
  shown: signal(null), // the moment on the screen: {record, matrix, step, matrixProblem}
  following: signal(true), // new cycles move the cursor
  led: signal(null), // the cycle that "why not" led to from the newest moment: what is done there is done now
  walking: signal(false), // the browser walks through recorded cycles
  busy: signal(null), // what the server works on: {label, since, cancel}
  nodes: signal(null), // columns of the nodes now
  found: signal(null), // columns as an earlier cycle found them
  queue: signal(null), // lanes now
  queueThen: signal(null), // lanes and last moves as an earlier cycle left them
  queueWithin: signal(null), // lanes while a cycle ran
  moves: signal([]), // newest first
  events: signal([]),
  changes: signal([]), // the last ones by users, newest first: {number, what, seq, cycle, nodes, pods, everything}
  pod: signal(null), // detail of the pod in view: {key, manifest, requests, …}
  node: signal(null), // detail of the pinned node
  pinned: signal({ pod: null, node: null, plugin: null }),
  hovered: signal({ node: null, plugin: null }),
  filter: signal(""), // text that the matrix and the node table are filtered by
  side: signal("why"), // tab of the right panel
  panel: signal("cluster"), // tab of the narrow layout
  dialog: signal(null), // {name, …}
  notices: signal([]), // [{id, tone: "info" | "error", text}]
  coming: signal(null), // what an import that is under way brings: {kind: count}
  spoken: signal(""), // the polite sentence
};

/** Number of the last known cycle; first − 1 when there is none. */
export const lastCycle = computed(() => store.history.value.first + store.history.value.pod.length - 1);

/** Is what the cursor is at still being read? To a view whose turn comes later nothing is missing. */
export const isLoading = computed(() => store.shown.value?.record.cycle.number !== store.cursor.value.cycle);

// Four parts, about as dear to draw. What a cycle decided, and by which steps, is there first.
const [overview, course, table, details] = staggered(store.shown, 4, 2);

const worked = new WeakMap();

/** A moment, worked out once for all that draw it; null before the first cycle. */
function workedOut(moment) {
  if (!moment) return null;
  if (!worked.has(moment)) worked.set(moment, frameAt(moment.record, moment.matrix, moment.step));
  return worked.get(moment);
}

/** The moment that the cluster shows. */
export const frame = computed(() => workedOut(overview.value));

/** The moment that the matrix shows. */
export const matrixFrame = computed(() => workedOut(table.value));

/** The moment that the pipeline shows. */
export const courseFrame = computed(() => workedOut(course.value));

/** The moment that the queues and the right panel show. */
export const detailFrame = computed(() => workedOut(details.value));

/** The pod whose detail is shown: pinned, else the one in the cycle on the screen. */
export const podInView = computed(() => store.pinned.value.pod ?? store.shown.value?.record.cycle.pod ?? null);

/** The node that is looked at: under the pointer, else pinned. */
export const nodeInView = computed(() => store.hovered.value.node ?? store.pinned.value.node);

const isNewest = (moment) => !moment || moment.record.cycle.number >= lastCycle.value;

/** Is the cycle on the screen the newest one? */
export const atHead = computed(() => isNewest(store.shown.value));

// A part whose turn comes later is there until then where the newest is followed.
const atHeadWith = (part) => computed(() => (store.following.value && atHead.value) || isNewest(part.value));
const overviewAtHead = atHeadWith(overview);
const detailsAtHead = atHeadWith(details);

/** Did "why not" lead here from the newest moment? Whoever goes on or changes something means now, not then. */
export const isLed = () => store.led.peek() !== null && store.led.peek() === store.cursor.peek().cycle;

/** A run is under way on the server, or the browser walks. */
export const playing = computed(() => store.walking.value || isRunning(store.cluster.value));

export const isRunning = (cluster) => cluster?.running?.kind === "run";

/**
 * The nodes as the cycle on the screen found them: {columns, asOf: "cycle" | "now", minus: {node, requests} or null}.
 * At the newest cycle they are those now, less what it put on its node; one that evicted, or an earlier one, is asked
 * of the server.
 */
export const ground = computed(() => {
  const shown = overview.value;
  const newest = overviewAtHead.value;
  const found = store.found.value;
  if (shown && found?.cycle === shown.record.cycle.number) return { columns: found, asOf: "cycle", minus: null };
  const requests = podRequests.value;
  const node = shown?.record.cycle.node;
  const columns = store.nodes.value;
  // Columns from before the cycle do not have its pod yet.
  const isIn = columns && shown && columns.revision >= shown.record.seq;
  const minus = newest && isIn && node && requests ? { node, requests } : null;
  return { columns, asOf: newest ? "cycle" : "now", minus };
});

/** Are there steps of its cycle that the moment has not reached? */
export const isWithin = (moment) => moment.step < stepsOf(moment.record).length;

/** The moves until a cycle's pod was popped, newest first: what the cycle did to the queues is still to come. */
function movesUntilPopped(moves, { seq, cycle }) {
  const popped = moves.findIndex((move) => move.seq === seq && move.pod === cycle.pod && move.to === "inFlight");
  return popped < 0 ? moves.filter((move) => move.seq < seq) : moves.slice(popped);
}

// Where a pod waits whose attempt has failed.
const FAILED = new Set(["unschedulable", "backoff", "errorBackoff"]);

/**
 * The lanes after the cycle of `record`, before the server's are there: pods that were bound are gone, as their `moves`
 * (newest first) say, and its own waits where its attempt has brought it; for whom and how long only the server tells.
 */
function afterMoves(queue, moves, { cycle, t }) {
  const bound = new Set(moves.filter(({ to }) => to === "bound").map(({ pod }) => pod));
  const to = moves.find(({ pod }) => pod === cycle.pod)?.to;
  if (!queue || !(bound.size || FAILED.has(to))) return queue;
  const isGone = ({ pod }) => bound.has(pod) || (pod === cycle.pod && FAILED.has(to));
  const lanes = Object.fromEntries(
    Object.entries(queue.lanes).map(([lane, entries]) => [lane, entries.filter((entry) => !isGone(entry))]),
  );
  const gone = (lane) => queue.lanes[lane].length - lanes[lane].length;
  const counts = Object.fromEntries(
    Object.entries(queue.counts).map(([lane, count]) => [lane, count - (lanes[lane] ? gone(lane) : 0)]),
  );
  if (FAILED.has(to)) {
    lanes[to] = [
      ...(lanes[to] ?? []),
      { pod: cycle.pod, uid: cycle.uid, priority: cycle.priority, attempts: cycle.attempt, since: t },
    ];
    counts[to] = (counts[to] ?? 0) + 1;
  }
  return { ...queue, lanes, counts };
}

let lanesBefore = null;

/**
 * The lanes at the moment on the screen: {queue, asOf: number of the cycle that left them so, or null for now, within:
 * number of the cycle that is not over, or null, t, moves}. Within a cycle those before it stay until the server tells
 * how it found them; what was changed since the newest is shown at once.
 */
export const lanes = computed(() => {
  const shown = details.value;
  const newest = detailsAtHead.value;
  const record = shown?.record;
  const number = record?.cycle.number;
  const then = store.queueThen.value;
  const isThen = shown && !newest && then?.cycle === number;
  const now = store.queue.value;
  const isBehind = shown && newest && now && now.revision < record.seq && !isWithin(shown);
  // Until the lanes of an earlier cycle come, those before it stay, less what it moved, and never those of now.
  const before = shown && !newest && !isThen && lanesBefore?.cluster === store.cluster.value?.id ? lanesBefore : null;
  if (before?.within === null && before.asOf === number - 1)
    return (lanesBefore = {
      ...before,
      queue: afterMoves(before.queue, [...(record.moves ?? [])].reverse(), record),
      asOf: number,
      t: record.t,
    });
  if (before && !isWithin(shown)) return before;
  const left = isThen
    ? { queue: then, asOf: number, within: null, t: record.t, moves: then.moves }
    : {
        queue: isBehind
          ? afterMoves(
              now,
              store.moves.value.filter(({ seq }) => seq > now.revision),
              record,
            )
          : now,
        asOf: null,
        within: null,
        t: store.cluster.value?.t ?? 0,
        moves: store.moves.value,
      };
  const isChanged = newest && left.queue?.revision > (record?.last ?? record?.seq);
  const inside = shown && isWithin(shown) && !isChanged;
  const found = store.queueWithin.value;
  const cluster = store.cluster.value?.id;
  if (inside && found?.cycle === number)
    lanesBefore = {
      ...left,
      cluster,
      queue: found,
      within: number,
      t: record.t,
      moves: movesUntilPopped(left.moves, record),
    };
  else if (!inside || !lanesBefore) lanesBefore = { ...left, cluster };
  return lanesBefore;
});

const DIM_AFTER = 150; // ms

/** What was asked for takes so long that it is seen: only then is the last result dimmed, or every step would flash. */
export const dimmed = signal(false);
let dimming = 0;
effect(() => {
  clearTimeout(dimming);
  if (store.busy.value) dimming = setTimeout(() => (dimmed.value = true), DIM_AFTER);
  else dimmed.value = false;
});

const requestsByPod = signal({ key: null, requests: null });

/** What the pod of the cycle on the screen asks for, {resource: int}; null until known. */
export const podRequests = computed(() => {
  const key = overview.value?.record.cycle.pod;
  return requestsByPod.value.key === key ? requestsByPod.value.requests : null;
});

export const setRequests = (key, requests) => {
  requestsByPod.value = { key, requests };
};
