/** The moment on the screen: loads cycles and matrices and shows them together; the latest request wins. */
import { batch } from "../../vendor/preact.js";
import { ApiError, get, of } from "../base/api.js";
import { nodesAt } from "./node_columns.js";
import { isWithin, sameSkip, stepsOf } from "./frame.js";
import { Recent, coalesce } from "../base/latest.js";
import { report } from "../base/notices.js";
import { atHead, lastCycle, store } from "../base/store.js";

const records = new Recent(300);
const matrices = new Recent(40);
// Number of cluster openings: a request from before the last one is obsolete.
let opened = 0;
// The newest request of a moment that is not on the screen yet: {cycle, step, order}.
let wish = null;
let loading = false;
// Requests of moments in their order. An answer to an earlier request than the one on the screen is obsolete.
let requested = 0;
let displayed = 0;

export const END = Infinity;
export const LANE_ENTRIES = 50;
const MOVES_BEFORE = 20; // records read for the last moves of an earlier cycle

export function forgetMoments() {
  opened += 1;
  records.clear();
  matrices.clear();
  wish = null;
}

/** Store a full cycle record from the stream. */
export function keepCycle(record) {
  records.set(record.cycle.number, record);
}

/** Store the matrix that the stream sent with a cycle. */
export function keepMatrix(number, matrix) {
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
  if (store.shown.peek()?.record.cycle.number === number) show(number, END);
}

async function loadMatrix(id, number) {
  const cached = matrices.get(number);
  if (cached) return cached;
  const mine = opened;
  try {
    const matrix = await get(of(id, "cycles", number, "matrix"));
    if (mine === opened) matrices.set(number, matrix);
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
  const mine = opened;
  const record = await get(of(id, "cycles", number));
  if (mine === opened) records.set(number, record);
  return record;
}

function put(record, matrix, step) {
  const count = stepsOf(record).length;
  const at = Math.max(0, Math.min(step, count));
  batch(() => {
    store.shown.value = { record, matrix, step: at };
    const cursor = store.cursor.peek();
    if (cursor.cycle === record.cycle.number) store.cursor.value = { cycle: cursor.cycle, step: at };
  });
}

/** Move the cursor to a cycle and a step (END: all of it). Cached cycles show at once. */
export function show(cycle, step) {
  const record = records.get(cycle);
  const matrix = matrices.get(cycle);
  requested += 1;
  if (record?.cycle.steps && matrix) {
    wish = null;
    displayed = requested;
    batch(() => {
      store.cursor.value = { cycle, step };
      put(record, matrix, step);
    });
    return;
  }
  store.cursor.value = { cycle, step };
  wish = { cycle, step, order: requested };
  if (!loading) load();
}

async function load() {
  loading = true;
  while (wish && store.cluster.peek()) {
    const { cycle, order } = wish;
    const { id } = store.cluster.peek();
    const mine = opened;
    try {
      const [record, matrix] = await Promise.all([loadRecord(id, cycle), loadMatrix(id, cycle)]);
      // Another cluster opened, or a later request is on the screen: drop this result.
      if (mine !== opened || order < displayed) continue;
      const { step } = store.cursor.peek().cycle === cycle ? store.cursor.peek() : { step: END };
      displayed = order;
      put(record, matrix, step);
      if (wish?.cycle === cycle) wish = null;
    } catch (error) {
      if (mine !== opened || wish?.order !== order) continue;
      wish = null;
      const shown = store.shown.peek();
      if (shown) store.cursor.value = { cycle: shown.record.cycle.number, step: shown.step };
      if (store.connection.peek() === "open") report(error);
    }
  }
  loading = false;
}

/** Return the queue moves of a record, each with its position. */
export const movesOf = (record) => (record.moves ?? []).map((move) => ({ ...move, t: record.t, seq: record.seq }));

const evicts = (record) => stepsOf(record).some((step) => step.data?.victims?.length);

const lanesOf = (id, number, within) =>
  get(`${of(id, "queue")}?cycle=${number}&limit=${LANE_ENTRIES}${within ? "&within=true" : ""}`);

/** Fetch the queues during the cycle on the screen, once, when a step within it shows. */
export const refreshWithin = coalesce(async () => {
  const shown = store.shown.peek();
  if (!shown || !isWithin(shown)) return;
  const { number } = shown.record.cycle;
  if (store.queueWithin.peek()?.cycle === number) return;
  const id = store.cluster.peek().id;
  try {
    const queue = await lanesOf(id, number, true);
    if (store.cluster.peek()?.id === id) store.queueWithin.value = queue;
  } catch {
    // The queues then stay as before the cycle.
  }
}, 150);

/** Fetch the nodes before the cycle on the screen and the queues after it, where the present ones differ. */
export const refreshFound = coalesce(async () => {
  const shown = store.shown.peek();
  if (!shown || (atHead.peek() && !evicts(shown.record))) return;
  const { number } = shown.record.cycle;
  if (store.found.peek()?.cycle === number) return;
  const id = store.cluster.peek().id;
  try {
    const before = Math.max(0, shown.record.seq - MOVES_BEFORE);
    const [columns, queue, page] = await Promise.all([
      nodesAt(id, number),
      lanesOf(id, number, false),
      get(`${of(id, "records")}?after=${before}&limit=${shown.record.seq - before}&brief=1`),
    ]);
    if (store.cluster.peek()?.id !== id) return;
    batch(() => {
      store.found.value = columns;
      store.queueThen.value = { ...queue, cycle: number, moves: page.records.flatMap(movesOf).reverse() };
    });
  } catch {
    // The bars then show the present nodes, and the head of the panel says so.
  }
}, 150);

/** Return the target of a step forward: {cycle, step}, or null at the end of the recording. */
export function nextStep() {
  const { shown } = peekMoment();
  if (!shown) return afterAwaited(1);
  const { number } = shown.record.cycle;
  const steps = stepsOf(shown.record);
  let step = shown.step + 1;
  while (step < steps.length && sameSkip(steps[step - 1], steps[step])) step += 1;
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
  while (step > 0 && sameSkip(steps[step - 1], steps[step])) step -= 1;
  if (step > 0) return { cycle: number, step };
  return number > store.history.peek().first ? { cycle: number - 1, step: END } : null;
}

/** Return the target of a cycle forward: the end of this cycle, then of the next; null at the end of the recording. */
export function nextCycle() {
  const { shown } = peekMoment();
  if (!shown) return afterAwaited(END);
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
function afterAwaited(step) {
  const { first } = store.history.peek();
  const next = Math.max(first, store.cursor.peek().cycle + 1);
  return next <= lastCycle.peek() ? { cycle: next, step } : null;
}

const peekMoment = () => ({ shown: store.shown.peek() });
