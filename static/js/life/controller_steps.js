/** The sequence of scheduling cycles and controller steps, and the selected entry. */
import { computed, signal } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { reportError } from "../base/notices.js";
import { store } from "../base/store.js";
import { isReadOnly } from "../access/class_membership.js";
import { goToEnd } from "../drive/run.js";
import { isGuest } from "../base/guest.js";
import { goToCycle } from "../cycle/playback.js";

const REST = 300; // ms between two requests during fast changes
const MOST_STEPS = 2000; // maximal number of controller steps

/** {id, steps, whole: true if none is missing, ofNodes: names of controllers} of the open cluster; null at first. */
const latest = signal(null);

/** The controller whose steps are shown, "" for all. */
export const shownController = signal("");

export const refreshSteps = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (id === undefined || isGuest || isReadOnly(id)) return;
  const before = latest.peek()?.id === id ? latest.peek() : null;
  const last = before?.steps.at(-1)?.seq ?? 0;
  try {
    const answer = await get(`${clusterPath(id, "reconciles")}?after=${last}`);
    if (store.cluster.peek()?.id !== id) return;
    // If more steps arrived than fit, those in between are unknown.
    const all = before && answer.whole ? [...before.steps, ...answer.steps] : answer.steps;
    const steps = all.slice(-MOST_STEPS);
    const whole = (before ? before.whole : true) && answer.whole && steps.length === all.length;
    latest.value = { id, steps, whole, ofNodes: new Set([...(before?.ofNodes ?? []), ...answer.of_nodes]) };
  } catch (error) {
    reportError(error);
  }
}, REST);

const current = computed(() => (latest.value?.id === store.cluster.value?.id ? latest.value : null));

/** Return the controller steps about the object `key` and about objects named after it. */
export const stepsAbout = (key) =>
  (current.value?.steps ?? []).filter((step) => step.key === key || step.key.startsWith(`${key}-`));

/** The controllers that did something, by name. */
export const controllersSeen = computed(() => [...new Set(current.value?.steps.map(({ actor }) => actor))].sort());

/** True if earlier entries were dropped. */
export const isCut = computed(() => current.value?.whole === false);

/** Return the index of the last of `numbers` (ascending) not above `number`; −1 for none. */
export function lastUpTo(numbers, number) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Cycles and steps in order: {seq, t, row, cycle, step}; `row`: 0 scheduler, 1 controllers, 2 nodes. */
export const entries = computed(() => {
  const { first, seq, t } = store.history.value;
  const { steps = [], ofNodes } = current.value ?? {};
  const only = shownController.value;
  const shown = only ? steps.filter(({ actor }) => actor === only) : steps;
  const from = isCut.value && steps.length ? steps[0].seq : 0;
  const rows = [];
  let next = 0;
  for (let i = Math.max(0, lastUpTo(seq, from)); i < seq.length; i += 1) {
    for (; next < shown.length && shown[next].seq < seq[i]; next += 1)
      rows.push(entryOf(shown[next], first + i - 1, ofNodes));
    rows.push({ seq: seq[i], t: t[i], row: 0, cycle: first + i, step: null });
  }
  for (; next < shown.length; next += 1) rows.push(entryOf(shown[next], first + seq.length - 1, ofNodes));
  return rows;
});

const entryOf = (step, cycle, ofNodes) => ({
  seq: step.seq,
  t: step.t,
  row: ofNodes.has(step.actor) ? 2 : 1,
  cycle,
  step,
});

// The selected record; valid while the cycle before it is on the screen.
const chosen = signal(null);
const chosenNumber = computed(() => (chosen.value?.cycle === store.cursor.value.cycle ? chosen.value.seq : null));

/** The number of the selected record; null for the newest moment. */
export const selectedSeq = computed(() => {
  const { first, seq } = store.history.value;
  return chosenNumber.value ?? (store.following.value ? null : (seq[store.cursor.value.cycle - first] ?? null));
});

const numbers = computed(() => entries.value.map(({ seq }) => seq));

/** The index of the last entry up to the selected one; −1 for none. */
export const selectedIndex = computed(() => lastUpTo(numbers.value, selectedSeq.value ?? Number.POSITIVE_INFINITY));

/** Select this record in the cycle before it; at the newest one, follow new records. */
export function goToRecord(number) {
  const isNewest = number >= (numbers.peek().at(-1) ?? 0) && !shownController.peek();
  if (isNewest) {
    chosen.value = null;
    return goToEnd();
  }
  const { first, seq } = store.history.peek();
  const cycle = first + lastUpTo(seq, number);
  if (cycle >= first) goToCycle(cycle);
  chosen.value = { seq: number, cycle: store.cursor.peek().cycle };
}
