/**
 * The moment on the screen, a step of a cycle. Its record and its matrix are loaded and shown together. Only the latest
 * requested moment is shown.
 */
import { batch } from "../../vendor/preact.js";
import { ApiError, get, clusterPath } from "../base/api.js";
import { fetchNodes } from "./node_columns.js";
import { isWithin, isSameSkip, stepsOf } from "./frame.js";
import { Recent, coalesce } from "../base/latest.js";
import { reportError } from "../base/notices.js";
import { atHead, lastCycle, store } from "../base/store.js";

const records = new Recent(300);
const matrices = new Recent(40);
// Counts the opened clusters. A request from before the last opening is obsolete.
let openings = 0;
// The newest request of a moment that is not on the screen yet: {cycle, step, order}.
let awaited = null;
let loading = false;
// Requests of moments in their order. An answer to an earlier request than the one on the screen is obsolete.
let requested = 0;
let displayed = 0;

export const END = Infinity;
export const LANE_ENTRIES = 50;
const MOVES_BEFORE = 20; // records read for the last moves of an earlier cycle

export function forgetMoments() {
  openings += 1;
  records.clear();
  matrices.clear();
  awaited = null;
}

/** Store a full cycle record from the stream. */
export function storeCycle(record) {
  records.set(record.cycle.number, record);
}

export function storeMatrix(number, matrix) {
  matrices.set(number, matrix);
}

/** Append the steps of a binding record, which ends a waiting attempt, to its cycle. */
export function mergeBinding(binding) {
  const { number, steps, ...rest } = binding.cycle;
  const record = records.get(number);
  if (!record) return;
  if (!steps || !record.cycle.steps) return records.delete(number);
  const cycle = { ...record.cycle, ...rest, number, steps: [...record.cycle.steps, ...steps] };
  const events = [...(record.events ?? []), ...(binding.events ?? [])];
  records.set(number, { ...record, cycle, events, last: binding.seq });
  if (store.shown.peek()?.record.cycle.number === number) showMoment(number, END);
}

async function loadMatrix(id, number) {
  const cached = matrices.get(number);
  if (cached) return cached;
  const ownOpening = openings;
  try {
    const matrix = await get(clusterPath(id, "cycles", number, "matrix"));
    if (ownOpening === openings) matrices.set(number, matrix);
    return matrix;
  } catch (error) {
    // A cycle without a search (skipped, or failed before Filter) has no matrix.
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function loadRecord(id, number) {
  const cached = records.get(number);
  if (cached?.cycle.steps) return cached;
  const ownOpening = openings;
  const record = await get(clusterPath(id, "cycles", number));
  if (ownOpening === openings) records.set(number, record);
  return record;
}

function showLoaded(record, matrix, step) {
  const count = stepsOf(record).length;
  const stepNumber = Math.max(0, Math.min(step, count));
  batch(() => {
    store.shown.value = { record, matrix, step: stepNumber };
    const cursor = store.cursor.peek();
    if (cursor.cycle === record.cycle.number) store.cursor.value = { cycle: cursor.cycle, step: stepNumber };
  });
}

/** Move the cursor to a cycle and a step (END: all of it). Cached cycles show at once. */
export function showMoment(cycle, step) {
  const record = records.get(cycle);
  const matrix = matrices.get(cycle);
  requested += 1;
  if (record?.cycle.steps && matrix) {
    awaited = null;
    displayed = requested;
    batch(() => {
      store.cursor.value = { cycle, step };
      showLoaded(record, matrix, step);
    });
    return;
  }
  store.cursor.value = { cycle, step };
  awaited = { cycle, step, order: requested };
  if (!loading) loadAwaited();
}

async function loadAwaited() {
  loading = true;
  while (awaited && store.cluster.peek()) {
    const { cycle, order } = awaited;
    const { id } = store.cluster.peek();
    const ownOpening = openings;
    try {
      const [record, matrix] = await Promise.all([loadRecord(id, cycle), loadMatrix(id, cycle)]);
      // Another cluster opened, or a later request is on the screen: drop this result.
      if (ownOpening !== openings || order < displayed) continue;
      const { step } = store.cursor.peek().cycle === cycle ? store.cursor.peek() : { step: END };
      displayed = order;
      showLoaded(record, matrix, step);
      if (awaited?.cycle === cycle) awaited = null;
    } catch (error) {
      if (ownOpening !== openings || awaited?.order !== order) continue;
      awaited = null;
      const shown = store.shown.peek();
      if (shown) store.cursor.value = { cycle: shown.record.cycle.number, step: shown.step };
      if (store.connection.peek() === "open") reportError(error);
    }
  }
  loading = false;
}

/** Return the queue moves of a record, each with its position. */
export const movesOf = (record) => (record.moves ?? []).map((move) => ({ ...move, t: record.t, seq: record.seq }));

const hasVictims = (record) => stepsOf(record).some((step) => step.data?.victims?.length);

const fetchLanes = (id, number, within) =>
  get(`${clusterPath(id, "queue")}?cycle=${number}&limit=${LANE_ENTRIES}${within ? "&within=true" : ""}`);

/** Fetch the queues during the cycle on the screen, once, when a step within it shows. */
export const refreshQueueDuringCycle = coalesce(async () => {
  const shown = store.shown.peek();
  if (!shown || !isWithin(shown)) return;
  const { number } = shown.record.cycle;
  if (store.queueDuringCycle.peek()?.cycle === number) return;
  const id = store.cluster.peek().id;
  try {
    const queue = await fetchLanes(id, number, true);
    if (store.cluster.peek()?.id === id) store.queueDuringCycle.value = queue;
  } catch {
    // The queues then stay as before the cycle.
  }
}, 150);

/** Fetch the nodes before the cycle on the screen and the queues after it, where the present ones differ. */
export const refreshEarlierState = coalesce(async () => {
  const shown = store.shown.peek();
  if (!shown || (atHead.peek() && !hasVictims(shown.record))) return;
  const { number } = shown.record.cycle;
  if (store.nodesBeforeCycle.peek()?.cycle === number) return;
  const id = store.cluster.peek().id;
  try {
    const before = Math.max(0, shown.record.seq - MOVES_BEFORE);
    const [columns, queue, page] = await Promise.all([
      fetchNodes(id, number),
      fetchLanes(id, number, false),
      get(`${clusterPath(id, "records")}?after=${before}&limit=${shown.record.seq - before}&brief=1`),
    ]);
    if (store.cluster.peek()?.id !== id) return;
    batch(() => {
      store.nodesBeforeCycle.value = columns;
      store.queueAfterCycle.value = { ...queue, cycle: number, moves: page.records.flatMap(movesOf).reverse() };
    });
  } catch {
    // The bars then show the present nodes, and the head of the panel shows "now".
  }
}, 150);

/** Return the target of a step forward: {cycle, step}, or null at the end of the recording. */
export function nextStep() {
  const { shown } = peekMoment();
  if (!shown) return targetAfterRequested(1);
  const { number } = shown.record.cycle;
  const steps = stepsOf(shown.record);
  let step = shown.step + 1;
  while (step < steps.length && isSameSkip(steps[step - 1], steps[step])) step += 1;
  if (step <= steps.length) return { cycle: number, step };
  return number < lastCycle.peek() ? { cycle: number + 1, step: 1 } : null;
}

/** Return the target of a step back, or null at the start. */
export function previousStep() {
  const { shown } = peekMoment();
  if (!shown) return null;
  const { number } = shown.record.cycle;
  const steps = stepsOf(shown.record);
  let step = shown.step - 1;
  while (step > 0 && isSameSkip(steps[step - 1], steps[step])) step -= 1;
  if (step > 0) return { cycle: number, step };
  return number > store.history.peek().first ? { cycle: number - 1, step: END } : null;
}

/** Return the target of a cycle forward: the end of this cycle, then of the next; null at the end of the recording. */
export function nextCycle() {
  const { shown } = peekMoment();
  if (!shown) return targetAfterRequested(END);
  const { number } = shown.record.cycle;
  if (isWithin(shown)) return { cycle: number, step: END };
  return number < lastCycle.peek() ? { cycle: number + 1, step: END } : null;
}

export function previousCycle() {
  const { shown } = peekMoment();
  if (!shown || shown.record.cycle.number <= store.history.peek().first) return null;
  return { cycle: shown.record.cycle.number - 1, step: END };
}

/** Return the target after a requested cycle that is not on the screen yet, or before the first one. */
function targetAfterRequested(step) {
  const { first } = store.history.peek();
  const next = Math.max(first, store.cursor.peek().cycle + 1);
  return next <= lastCycle.peek() ? { cycle: next, step } : null;
}

const peekMoment = () => ({ shown: store.shown.peek() });
