/** Navigation to why a pod waits: the newest attempt of the selected pod, or of the first waiting one. */
import { effect } from "../../vendor/preact.js";
import { podName } from "../base/format.js";
import { stepsOf } from "../cycle/frame.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { dismiss, notify } from "../base/notices.js";
import { showTab } from "../base/screen.js";
import { atHead, isWhyNotJump, lastCycle, store } from "../base/store.js";
import { updateQueue } from "../cycle/sync.js";
import { whyWaitsLabel } from "./waiting_time.js";
import { goToCycle } from "../cycle/playback.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { lanes } from "../cycle/lanes.js";

// The queues of waiting pods, most serious first; Active only waits for its turn.
const WAITING = ["unschedulable", "backoff", "errorBackoff", "gated"];

// The tabs about a cycle; another tab (pod, node, profile) stays open.
const CYCLE_VIEWS = new Set(["why", "scores", "spread", "preemption", "time"]);

/** Return the number of a pod's newest attempt up to a cycle, or null. */
function attemptUpTo(pod, cycle) {
  const { first, pod: pods } = store.history.peek();
  const index = pods.lastIndexOf(pod, cycle - first);
  return index < 0 || cycle < first ? null : first + index;
}

/** Return true if the newest attempt placed the pod; the queues may not show it yet. */
function isPlaced(pod) {
  const { first, outcome } = store.history.peek();
  const attempt = attemptUpTo(pod, store.shown.peek()?.record.cycle.number ?? lastCycle.peek());
  return attempt !== null && outcome[attempt - first] === "scheduled";
}

/** Return the queues on the screen, or newer ones if the newest cycle is followed and still loading. */
function followedLanes() {
  const { queue } = lanes.value;
  const now = store.queue.value;
  return store.following.value && now?.revision > (queue?.revision ?? 0) ? now : queue;
}

/**
 * Return the pods that wait at the moment on the screen, or at its successor that is loading: {count, first}; first is
 * an entry of its queue.
 */
export function waitingPods() {
  const queue = followedLanes();
  const count = WAITING.reduce((sum, lane) => sum + (queue?.counts[lane] ?? 0), 0);
  const entries = WAITING.flatMap((lane) => (queue?.lanes[lane] ?? []).map((entry) => ({ lane, ...entry })));
  return { count, first: entries.find(({ pod }) => !isPlaced(pod)) ?? null };
}

/** Return true if the moment is the end of its cycle, and the cycle placed its pod. */
export function isPlacedHere(shown) {
  return Boolean(shown) && shown.record.cycle.outcome === "scheduled" && shown.step >= stepsOf(shown.record).length;
}

/** Show why a pod waits: the newest attempt as of the moment on the screen, or a notice if there was none. */
export function navigateToPod(pod) {
  const here = store.shown.peek()?.record.cycle.number ?? 0;
  const attempt = attemptUpTo(pod, here) ?? attemptUpTo(pod, lastCycle.peek());
  if (attempt === null) {
    pinPod(pod);
    openSideTab("pod");
    notify(fill(_("{pod} has not been tried yet."), { pod: podName(pod) }));
    return;
  }
  const isNow = store.following.peek() || atHead.peek() || isWhyNotJump();
  if (attempt !== here) goToCycle(attempt);
  if (isNow && attempt !== lastCycle.peek()) store.jumpedFromWhyNot.value = attempt;
  openSideTab("why");
}

effect(() => {
  if (store.jumpedFromWhyNot.value !== null && store.cursor.value.cycle !== store.jumpedFromWhyNot.value)
    store.jumpedFromWhyNot.value = null;
});

let notice = null; // its notice

/** Report the pods that wait at the end of a run, with a button that navigates to the first. */
export async function reportWaitingPods() {
  if (!(await updateQueue())) return;
  const { count, first } = waitingPods();
  if (!first) return;
  const isOnTab = document.activeElement?.id === `tab-${store.side.peek()}`;
  if (CYCLE_VIEWS.has(store.side.peek())) showTab("why");
  if (isOnTab) document.getElementById(`tab-${store.side.peek()}`).focus();
  const text = ngettext("The run is over. {n} Pod is pending.", "The run is over. {n} Pods are pending.", count);
  notice = notify(text, { action: { label: whyWaitsLabel(first.pod), run: () => navigateToPod(first.pod) } });
}

// A reset does not end a run.
effect(() => {
  if (store.history.value.pod.length || notice === null) return;
  dismiss(notice);
  notice = null;
});

/** Show "why not" of the selected pod, else of the cycle's pod. If that one is placed, show it for a waiting pod. */
export function navigateToWaitingPod() {
  const { pod, node } = store.pinned.peek();
  const waits = (!node || store.side.peek() === "why") && isPlacedHere(store.shown.peek()) ? waitingPods().first : null;
  if (pod ?? waits) navigateToPod(pod ?? waits.pod);
  else openSideTab("why");
}
