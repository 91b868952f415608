/** The store of the page. Views read it and call actions; only actions and cycle/sync.js write it. */
import { computed, effect, signal } from "../../vendor/preact.js";

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
  jumpedFromWhyNot: signal(null), // the cycle that "why not" jumped to from the newest moment
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
  requests: signal({ pod: null, requests: null }), // of the pod of the cycle on the screen: {resource: int}
  coming: signal(null), // what an import that is under way brings: {kind: count}
  spoken: signal(""), // the polite sentence
};

/** Number of the last known cycle; first − 1 when there is none. */
export const lastCycle = computed(() => store.history.value.first + store.history.value.pod.length - 1);

/** Is what the cursor is at still being read? To a view whose turn comes later nothing is missing. */
export const isLoading = computed(() => store.shown.value?.record.cycle.number !== store.cursor.value.cycle);

/** The pod whose detail is shown: pinned, else the one in the cycle on the screen. */
export const podInView = computed(() => store.pinned.value.pod ?? store.shown.value?.record.cycle.pod ?? null);

/** The node that is looked at: under the pointer, else pinned. */
export const nodeInView = computed(() => store.hovered.value.node ?? store.pinned.value.node);

/** Return true if no newer cycle is known. */
export const isNewest = (moment) => !moment || moment.record.cycle.number >= lastCycle.value;

/** Is the cycle on the screen the newest one? */
export const atHead = computed(() => isNewest(store.shown.value));

/** Return true if "why not" jumped here from the newest moment: steps and changes then go on from the newest one. */
export const isWhyNotJump = () =>
  store.jumpedFromWhyNot.peek() !== null && store.jumpedFromWhyNot.peek() === store.cursor.peek().cycle;

/** A run is under way on the server, or the browser walks. */
export const playing = computed(() => store.walking.value || isRunning(store.cluster.value));

export const isRunning = (cluster) => cluster?.running?.kind === "run";

const DIM_AFTER = 150; // ms

/** What was asked for takes so long that it is seen: only then is the last result dimmed, or every step would flash. */
export const dimmed = signal(false);
let dimming = 0;
effect(() => {
  clearTimeout(dimming);
  if (store.busy.value) dimming = setTimeout(() => (dimmed.value = true), DIM_AFTER);
  else dimmed.value = false;
});
