/** Larger steps: to the next extension point, to a pod's next attempt; slow motion, and the pace. */
import { stepsOf } from "../cycle/frame.js";
import { pointOf } from "../cycle/cycle_steps.js";
import { podName } from "../base/format.js";
import { _, fill } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { lastCycle, podInView, store } from "../base/store.js";
import { nextStep } from "../cycle/moment.js";
import { cycleForward, performCommand, waitUntilReady, setPace, stepBack, stepForward } from "./run.js";
import { goToCycle, playSteps, stopPlayback } from "../cycle/playback.js";

/** Cycles per second, slowest first; 0 = unlimited. */
export const PACES = [0.25, 0.5, 1, 2, 4, 8, 16, 0];

/** Go to the end of the next extension point; past the end of a cycle, to the first step of the next one. */
export function pointForward() {
  const shown = store.shown.peek();
  const steps = stepsOf(shown?.record);
  if (!shown || shown.step >= steps.length) return stepForward();
  const point = pointOf(steps[shown.step]);
  let end = shown.step;
  while (end < steps.length && pointOf(steps[end]) === point) end += 1;
  return goToCycle(shown.record.cycle.number, end);
}

/** Go to the start of the extension point on the screen; before the first one, to the end of the previous cycle. */
export function pointBack() {
  const shown = store.shown.peek();
  if (!shown) return;
  const { number } = shown.record.cycle;
  const steps = stepsOf(shown.record);
  let start = shown.step;
  const point = start ? pointOf(steps[start - 1]) : null;
  while (start > 0 && pointOf(steps[start - 1]) === point) start -= 1;
  if (start > 0) goToCycle(number, start);
  else if (number > store.history.peek().first) goToCycle(number - 1);
  else stepBack();
}

/** Return the number of the nearest recorded attempt of a pod in a direction (1 or −1), or null. */
function findAttempt(pod, direction) {
  const { first, pod: pods } = store.history.peek();
  const from = (store.shown.peek()?.record.cycle.number ?? first - 1) - first + direction;
  for (let i = from; i >= 0 && i < pods.length; i += direction) if (pods[i] === pod) return first + i;
  return null;
}

/** Go to the next attempt of the selected pod: a recorded one, else run until it comes. */
export async function podForward() {
  const pod = podInView.peek();
  if (!pod) return cycleForward();
  const next = findAttempt(pod, 1);
  if (next !== null) return goToCycle(next);
  if (store.pod.peek()?.key === pod && store.pod.peek().lane === "bound") {
    return notify(fill(_("{pod} is bound and has no further attempts."), { pod: podName(pod) }));
  }
  if (!(await waitUntilReady())) return undefined;
  stopPlayback();
  const before = lastCycle.peek();
  store.following.value = true;
  const ended = await performCommand(
    { kind: "run", until: { pod } },
    fill(_("Running until {pod} is tried"), { pod: podName(pod) }),
  );
  if (ended?.state !== "done") return undefined;
  const { first, pod: pods } = store.history.peek();
  if (pods.slice(before - first + 1).includes(pod)) return undefined;
  return notify(fill(_("No Pod is ready, and {pod} was not tried."), { pod: podName(pod) }));
}

export function podBack() {
  const pod = podInView.peek();
  const before = pod && findAttempt(pod, -1);
  if (before) goToCycle(before);
  else notify(_("There is no earlier attempt of this pod."));
}

/** Play the cycle on the screen plugin by plugin, from its start if it is over. */
export function playSlowMotion() {
  const shown = store.shown.peek();
  if (!shown) return nextStep() ? stepForward() : undefined;
  store.following.value = false;
  return playSteps(shown.record.cycle.number, shown.step >= stepsOf(shown.record).length ? 1 : shown.step);
}

/** Change the pace to the next faster (1) or slower (−1) one. */
export function changePace(way) {
  const index = PACES.indexOf(preferences.pace.peek()) + way;
  if (index < 0 || index >= PACES.length)
    return void notify(way > 0 ? _("This is the fastest speed.") : _("This is the slowest speed."));
  setPace(PACES[index]).catch(reportError);
}
