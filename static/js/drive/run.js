/** Commands of the scheduler (docs/reference/commands-and-trace.md): step, cycle, run, pause, clock, reset. */
import { effect, signal } from "../../vendor/preact.js";
import { explainRefusal, mayEdit, playingHere } from "../access/allowed.js";
import { get, clusterPath, post } from "../base/api.js";
import { podName } from "../base/format.js";
import { _, fill, loadWithMessages } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { openDialog } from "../base/screen.js";
import { atHead, isWhyNotJump, isRunning, playing, store } from "../base/store.js";
import { arriveAt, onRecords } from "../cycle/sync.js";
import { breakpoints } from "./breakpoints.js";
import { END, nextCycle, nextStep, previousCycle, previousStep, showMoment } from "../cycle/moment.js";
import { secondsUntilBackoffEnds } from "./waiting_time.js";
import { goToCycle, stopPlayback, playCycles } from "../cycle/playback.js";

/** The number of runs that ended by themselves. */
export const endedRuns = signal(0);

// The screen shows the effect of these, so they need no notice.
const SILENT_COMMANDS = new Set([
  "schedule_one",
  "run",
  "permit",
  "reset",
  "fail_binding",
  "seed",
  "set_config",
  "activate",
]);
const POLL_PAUSES = [120, 200, 400, 800];

/**
 * Wait until a command is done, polling now and then because the records usually arrive first. Returns its last answer.
 */
async function waitForCommand(number, cancelled) {
  const id = store.cluster.peek().id;
  for (let tries = 0; !cancelled(); tries += 1) {
    await new Promise((done) => setTimeout(done, POLL_PAUSES[Math.min(tries, POLL_PAUSES.length - 1)]));
    try {
      const command = await get(clusterPath(id, "commands", number));
      if (["done", "failed", "stopped"].includes(command.state)) return command;
    } catch (error) {
      // The operator restored an earlier state, which a notice reports, or the cluster was deleted.
      if (error.status === 404) return null;
      if (error.status) throw error;
    }
  }
  return null;
}

let reportEffect = (_number) => {};
/** Register `handler(number)`, which reports the effect of a change when its command is done. */
export const onChange = (handler) => (reportEffect = handler);

export const reportEffectOf = (number) => reportEffect(number);

/**
 * Send a command and wait for its end, with the last result dimmed; return its last answer or null. A notice reports
 * problems; with `quiet` the answer has them, {problems}.
 */
export async function performCommand(command, label, { quiet = false } = {}) {
  try {
    const ended = await runWhileBusy(label, () => post(clusterPath(store.cluster.peek().id, "commands"), command));
    if (ended?.problems?.length && !quiet) reportError(ended);
    if (ended?.state === "done" && !SILENT_COMMANDS.has(command.kind)) reportEffect(ended.number);
    return ended;
  } catch (error) {
    if (quiet && error.problems) return { problems: error.problems };
    reportError(error);
    return null;
  }
}

const MOST_WAITING = 3;
let waitingRequests = 0; // requests made while the server was busy

/**
 * Wait until the server has finished earlier requests; return false if too many wait. Only one waiter starts at a time;
 * the others check again.
 */
async function waitUntilFree() {
  if (waitingRequests >= MOST_WAITING) return false;
  waitingRequests += 1;
  await new Promise((free) => {
    const stop = store.busy.subscribe((busy) => {
      if (!busy) queueMicrotask(() => (stop(), free()));
    });
  });
  waitingRequests -= 1;
  return true;
}

/**
 * Run a command that `send()` sends and that resolves with its {number}, and wait for its end; return its last answer,
 * or null. A request that had to wait is sent only if `isWanted` still returns true.
 */
export async function runWhileBusy(label, send, isWanted = () => true) {
  while (store.busy.peek()) if (!(await waitUntilFree())) return null;
  if (!isWanted()) return null;
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
    store.busy.value = null;
    post(clusterPath(store.cluster.peek().id, "pause")).catch(reportError);
  };
  const ownRequest = { label, since: performance.now(), cancel };
  store.busy.value = ownRequest;
  try {
    const { number } = await send();
    return await waitForCommand(number, () => cancelled);
  } finally {
    // The record ends a step, so the next one may start before its command is reported as done.
    if (store.busy.peek() === ownRequest) store.busy.value = null;
  }
}

let requestedStep = null; // the step requested while the server was busy; the last request counts

effect(() => {
  if (store.busy.value || requestedStep === null) return;
  const step = requestedStep;
  requestedStep = null;
  queueMicrotask(() => scheduleOne(step));
});

/** Request the next cycle and show it from `step` on. While the server is busy the request waits. */
async function scheduleOne(step) {
  if (store.busy.peek()) {
    requestedStep = step;
    return;
  }
  if (!checkReady()) return;
  store.following.value = true;
  arriveAt(step);
  // The cycle's record may arrive before the command is polled: stop waiting then.
  let arrived = false;
  const stop = onRecords((records) => {
    if (!records.some((record) => record.kind === "cycle")) return;
    arrived = true;
    store.busy.value = null;
    stop();
  });
  const ended = await performCommand({ kind: "schedule_one" }, _("Scheduling the next pod"));
  setTimeout(stop, 2000);
  if (!arrived && ended?.state === "done" && !ended.records) reportIdle();
}

/** Wait for the preceding request, so that no press is lost; return true if a cycle can be requested. */
export async function waitUntilReady() {
  while (store.busy.peek()) if (!(await waitUntilFree())) return false;
  return checkReady();
}

/** Return true if a cycle can be requested; otherwise show why not. */
function checkReady() {
  if (!store.cluster.peek()) return false;
  if (!mayEdit.peek()) {
    explainRefusal();
    return false;
  }
  if (store.connection.peek() === "lost") {
    notify(_("Not connected: the next cycle needs the server. You can still step through recorded cycles."));
    return false;
  }
  if (isRunning(store.cluster.peek())) {
    notify(_("A run is under way. Pause it to step."));
    return false;
  }
  return true;
}

function reportIdle() {
  arriveAt(END);
  const activate = (pod) =>
    performCommand({ kind: "activate", pod }, fill(_("Moving {pod} to Active"), { pod: podName(pod) }));
  loadWithMessages(() => import("./idle_reason.js"))
    .then(({ showIdleReason }) => showIdleReason({ advance: advanceClock, goTo: goToCycle, activate }))
    .catch(reportError);
}

const goToTarget = ({ cycle, step }) => goToCycle(cycle, step);

/** Past the end of a cycle that "why not" opened, continue from the newest moment, not through the cycles between. */
function leaveWhyNotJump(target) {
  if (!isWhyNotJump() || target?.cycle === store.cursor.peek().cycle) return target;
  goToEnd();
  return null;
}

export function stepForward() {
  const target = leaveWhyNotJump(nextStep());
  if (target) goToTarget(target);
  else scheduleOne(1);
}

export function stepBack() {
  const target = previousStep();
  if (target) goToTarget(target);
  else reportBeginning();
}

export function cycleForward() {
  const target = leaveWhyNotJump(nextCycle());
  if (target) goToTarget(target);
  else scheduleOne(END);
}

export function cycleBack() {
  const target = previousCycle();
  if (target) goToTarget(target);
  else reportBeginning();
}

const reportBeginning = () => notify(_("This is the beginning."));

export function goToStart() {
  const { first, pod } = store.history.peek();
  if (pod.length) goToTarget({ cycle: first, step: 1 });
}

/** Show the newest cycle and follow new ones. */
export function goToEnd() {
  stopPlayback();
  store.following.value = true;
  const { first, pod } = store.history.peek();
  if (pod.length) showMoment(first + pod.length - 1, END);
}

let isPlayRequested = false; // a double press starts only one run
effect(() => {
  if (playing.value) isPlayRequested = false;
});

export function togglePlay() {
  if (playingHere.peek()) return pause();
  if (isPlayRequested) return undefined;
  isPlayRequested = true;
  return play().finally(() => (isPlayRequested = false));
}

async function play() {
  // The preceding request ends first.
  while (store.busy.peek()) if (!(await waitUntilFree())) return;
  const shown = isWhyNotJump() ? goToEnd() : store.shown.peek();
  if (shown && !(atHead.peek() && !nextStep())) {
    store.following.value = false;
    return playCycles(() => mayEdit.peek() && play());
  }
  if (!checkReady()) return;
  store.following.value = true;
  if (shown) showMoment(shown.record.cycle.number, END);
  try {
    await setPace(preferences.pace.peek());
    const until = breakpoints.peek().length ? { breakpoint: true } : "idle";
    const { number } = await post(clusterPath(store.cluster.peek().id, "commands"), { kind: "run", until });
    const ended = await waitForCommand(number, () => false);
    if (ended?.problems?.length) reportError(ended);
    else if (ended?.state === "done" && !ended.records) reportIdle();
    else if (ended?.state === "done") endedRuns.value += 1;
  } catch (error) {
    reportError(error);
  }
}

async function pause() {
  stopPlayback();
  if (!mayEdit.peek() || !isRunning(store.cluster.peek())) return;
  try {
    await post(clusterPath(store.cluster.peek().id, "pause"));
  } catch (error) {
    reportError(error);
  }
}

/** Set the cycles per second of a run; 0 = unlimited. */
export async function setPace(cyclesPerSecond) {
  preferences.pace.value = cyclesPerSecond;
  const cluster = store.cluster.peek();
  if (!cluster || !mayEdit.peek()) return;
  await post(clusterPath(cluster.id, "pace"), { cycles_per_second: cyclesPerSecond });
}

export const advanceClock = (seconds) =>
  performCommand({ kind: "advance_clock", seconds: Math.ceil(seconds * 1000) / 1000 }, _("Letting virtual time pass"));

export function advanceToBackoff() {
  const wait = secondsUntilBackoffEnds();
  if (wait !== null) advanceClock(wait);
}

export const answerPermit = (pod, decision) =>
  performCommand({ kind: "permit", pod, decision }, _("Answering for the waiting pod"));

export const resetCluster = () => performCommand({ kind: "reset" }, _("Going back to the start"));

/** Reset after a confirmation; at the start none is needed. */
export function confirmReset() {
  const { revision, can_undo: changed } = store.cluster.peek();
  if (!store.history.peek().pod.length && !changed && revision <= 1) return resetCluster();
  openDialog("reset");
  return undefined;
}
