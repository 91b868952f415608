/**
 * The store of the page. Views read it and call actions. Only actions and cycle/sync.js write it. A moment is one step
 * of one scheduling cycle: {record, matrix, step}.
 */
import { computed, effect, signal } from "../../vendor/preact.js";

/**
 * Columns of the cycles from `first` on; index = number − first. Arrays grow in place; a new wrapper notifies views.
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
  busy: signal(null), // the server's current work: {label, since, cancel}
  nodes: signal(null), // columns of the present nodes
  nodesBeforeCycle: signal(null), // columns of the nodes before an earlier cycle
  queue: signal(null), // present queues
  queueAfterCycle: signal(null), // queues and last moves after an earlier cycle
  queueDuringCycle: signal(null), // queues during a cycle
  moves: signal([]), // newest first
  events: signal([]),
  changes: signal([]), // the users' last changes, newest first: {number, what, seq, cycle, nodes, pods, everything}
  pod: signal(null), // details of the selected pod: {key, manifest, requests, …}
  node: signal(null), // details of the pinned node
  pinned: signal({ pod: null, node: null, plugin: null }),
  hovered: signal({ node: null, plugin: null }),
  filter: signal(""), // filter text of the matrix and the node table
  side: signal("why"), // tab of the right panel
  panel: signal("cluster"), // tab of the narrow layout
  dialog: signal(null), // {name, …}
  notices: signal([]), // [{id, tone: "info" | "error", text}]
  requests: signal({ pod: null, requests: null }), // requests of the pod of the cycle on the screen: {resource: int}
  importCounts: signal(null), // counts of an import in progress: {kind: count}
  spoken: signal(""), // the sentence for screen readers
};

/** Number of the last known cycle; first − 1 when there is none. */
export const lastCycle = computed(() => store.history.value.first + store.history.value.pod.length - 1);

/** True while the page loads the moment at the cursor. A view that draws later has no missing data. */
export const isLoading = computed(() => store.shown.value?.record.cycle.number !== store.cursor.value.cycle);

/** The pod with the details: the pinned one, else that of the cycle on the screen. */
export const podInView = computed(() => store.pinned.value.pod ?? store.shown.value?.record.cycle.pod ?? null);

/** The node under the pointer, else the pinned one. */
export const nodeInView = computed(() => store.hovered.value.node ?? store.pinned.value.node);

/** Return true if no newer cycle is known. */
export const isNewest = (moment) => !moment || moment.record.cycle.number >= lastCycle.value;

/** True if the cycle on the screen is the newest one. */
export const atHead = computed(() => isNewest(store.shown.value));

/** Return true if "why not" jumped here from the newest moment: steps and changes then continue from there. */
export const isWhyNotJump = () =>
  store.jumpedFromWhyNot.peek() !== null && store.jumpedFromWhyNot.peek() === store.cursor.peek().cycle;

/** True while the server runs or the browser walks. */
export const playing = computed(() => store.walking.value || isRunning(store.cluster.value));

export const isRunning = (cluster) => cluster?.running?.kind === "run";

const DIM_AFTER = 150; // ms

/** True when a request takes so long that the last result is dimmed. Sooner, each step would flash. */
export const dimmed = signal(false);
let dimTimer = 0;
effect(() => {
  clearTimeout(dimTimer);
  if (store.busy.value) dimTimer = setTimeout(() => (dimmed.value = true), DIM_AFTER);
  else dimmed.value = false;
});
