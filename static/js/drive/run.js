/** Commands of the scheduler (docs/reference/commands-and-trace.md): step, cycle, run, pause, clock, reset. */
import { effect, signal } from "../../vendor/preact.js";
import { explainRefusal, mayEdit, playingHere } from "../access/allowed.js";
import { get, of, post } from "../base/api.js";
import { podName } from "../base/format.js";
import { _, fill, withWords } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { openDialog } from "../base/screen.js";
import { atHead, isWhyNotJump, isRunning, playing, store } from "../base/store.js";
import { arriveAt, onRecords } from "../cycle/sync.js";
import { breakpoints } from "./breakpoints.js";
import { END, nextCycle, nextStep, previousCycle, previousStep, show } from "../cycle/moment.js";
import { untilBackoffEnds } from "./waits.js";
import { goToCycle, stopWalking, walkCycles } from "../cycle/walk.js";

/** The number of runs that ended by themselves. */
export const runEnded = signal(0);

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
const ASK_AGAIN = [120, 200, 400, 800];

/**
 * Wait until a command is done, polling now and then because the records usually arrive first. Returns its last answer.
 */
async function settle(number, cancelled) {
  const id = store.cluster.peek().id;
  for (let turn = 0; !cancelled(); turn += 1) {
    await new Promise((done) => setTimeout(done, ASK_AGAIN[Math.min(turn, ASK_AGAIN.length - 1)]));
    try {
      const command = await get(of(id, "commands", number));
      if (["done", "failed", "stopped"].includes(command.state)) return command;
    } catch (error) {
      // The operator restored an earlier state, which a notice says, or the cluster was deleted.
      if (error.status === 404) return null;
      if (error.status) throw error;
    }
  }
  return null;
}

let reportEffect = (_number) => {};
/** Register `handler(number)`, which reports the effect of a change when its command is done. */
export const onChange = (handler) => (reportEffect = handler);

/** Report the effect of the change that command `number` made. */
export const reportEffectOf = (number) => reportEffect(number);

/**
 * Send a command and wait for its end, with the last result dimmed; return its last answer or null. A notice reports
 * problems; with `quiet` the answer has them, {problems}.
 */
export async function perform(command, label, { quiet = false } = {}) {
  try {
    const ended = await whileBusy(label, () => post(of(store.cluster.peek().id, "commands"), command));
    if (ended?.problems?.length && !quiet) report(ended);
    if (ended?.state === "done" && !SILENT_COMMANDS.has(command.kind)) reportEffect(ended.number);
    return ended;
  } catch (error) {
    if (quiet && error.problems) return { problems: error.problems };
    report(error);
    return null;
  }
}

const MOST_WAITING = 3;
let waiting = 0; // requests made while the server was busy

/**
 * Wait until the server has finished earlier requests; return false if too many wait. Only one waiter starts at a time;
 * the others check again.
 */
async function untilFree() {
  if (waiting >= MOST_WAITING) return false;
  waiting += 1;
  await new Promise((free) => {
    const stop = store.busy.subscribe((busy) => {
      if (!busy) queueMicrotask(() => (stop(), free()));
    });
  });
  waiting -= 1;
  return true;
}

/**
 * Run a command by `ask`, an async function that returns its {number}, and wait for its end; return its last answer, or
 * null. A request that had to wait is sent only if `isWanted` still returns true.
 */
export async function whileBusy(label, ask, isWanted = () => true) {
  while (store.busy.peek()) if (!(await untilFree())) return null;
  if (!isWanted()) return null;
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
    store.busy.value = null;
    post(of(store.cluster.peek().id, "pause")).catch(report);
  };
  const mine = { label, since: performance.now(), cancel };
  store.busy.value = mine;
  try {
    const { number } = await ask();
    return await settle(number, () => cancelled);
  } finally {
    // The record ends a step, so the next one may start before its command is reported as done.
    if (store.busy.peek() === mine) store.busy.value = null;
  }
}

let next = null; // the step requested while the server was busy; the last request counts

effect(() => {
  if (store.busy.value || next === null) return;
  const step = next;
  next = null;
  queueMicrotask(() => scheduleOne(step));
});

/** Request the next cycle and show it from `step` on. While the server is busy the request waits. */
async function scheduleOne(step) {
  if (store.busy.peek()) {
    next = step;
    return;
  }
  if (!isReady()) return;
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
  const ended = await perform({ kind: "schedule_one" }, _("Scheduling the next pod"));
  setTimeout(stop, 2000);
  if (!arrived && ended?.state === "done" && !ended.records) tellNothingReady();
}

/** Wait for the preceding request, so that no press is lost; return true if a cycle can be requested. */
export async function whenReady() {
  while (store.busy.peek()) if (!(await untilFree())) return false;
  return isReady();
}

/** Return true if a cycle can be requested; otherwise show why not. */
function isReady() {
  if (!store.cluster.peek()) return false;
  if (!mayEdit.peek()) {
    explainRefusal();
    return false;
  }
  if (store.connection.peek() === "lost") {
    notify(_("Not connected: the next cycle needs the server. Stepping through what is recorded goes on."));
    return false;
  }
  if (isRunning(store.cluster.peek())) {
    notify(_("A run is under way. Pause it to step."));
    return false;
  }
  return true;
}

function tellNothingReady() {
  arriveAt(END);
  const activate = (pod) =>
    perform({ kind: "activate", pod }, fill(_("Moving {pod} to Active"), { pod: podName(pod) }));
  withWords(() => import("./idle.js"))
    .then(({ tellIdle }) => tellIdle({ advance, goTo: goToCycle, activate }))
    .catch(report);
}

const go = ({ cycle, step }) => goToCycle(cycle, step);

/** Past the end of a cycle that "why not" opened, continue from the newest moment, not through the cycles between. */
function ahead(target) {
  if (!isWhyNotJump() || target?.cycle === store.cursor.peek().cycle) return target;
  toEnd();
  return null;
}

export function stepForward() {
  const target = ahead(nextStep());
  if (target) go(target);
  else scheduleOne(1);
}

export function stepBack() {
  const target = previousStep();
  if (target) go(target);
  else tellBeginning();
}

export function cycleForward() {
  const target = ahead(nextCycle());
  if (target) go(target);
  else scheduleOne(END);
}

export function cycleBack() {
  const target = previousCycle();
  if (target) go(target);
  else tellBeginning();
}

const tellBeginning = () => notify(_("This is the beginning: there is nothing before it."));

export function toStart() {
  const { first, pod } = store.history.peek();
  if (pod.length) go({ cycle: first, step: 1 });
}

/** Show the newest cycle and follow new ones. */
export function toEnd() {
  stopWalking();
  store.following.value = true;
  const { first, pod } = store.history.peek();
  if (pod.length) show(first + pod.length - 1, END);
}

let isAsked = false; // a double press starts only one run
effect(() => {
  if (playing.value) isAsked = false;
});

export function togglePlay() {
  if (playingHere.peek()) return pause();
  if (isAsked) return undefined;
  isAsked = true;
  return play().finally(() => (isAsked = false));
}

async function play() {
  // The preceding request ends first.
  while (store.busy.peek()) if (!(await untilFree())) return;
  const shown = isWhyNotJump() ? toEnd() : store.shown.peek();
  if (shown && !(atHead.peek() && !nextStep())) {
    store.following.value = false;
    return walkCycles(() => mayEdit.peek() && play());
  }
  if (!isReady()) return;
  store.following.value = true;
  if (shown) show(shown.record.cycle.number, END);
  try {
    await setPace(preferences.pace.peek());
    const until = breakpoints.peek().length ? { breakpoint: true } : "idle";
    const { number } = await post(of(store.cluster.peek().id, "commands"), { kind: "run", until });
    const ended = await settle(number, () => false);
    if (ended?.problems?.length) report(ended);
    else if (ended?.state === "done" && !ended.records) tellNothingReady();
    else if (ended?.state === "done") runEnded.value += 1;
  } catch (error) {
    report(error);
  }
}

async function pause() {
  stopWalking();
  if (!mayEdit.peek() || !isRunning(store.cluster.peek())) return;
  try {
    await post(of(store.cluster.peek().id, "pause"));
  } catch (error) {
    report(error);
  }
}

/** Set the cycles per second of a run; 0 = unlimited. */
export async function setPace(cyclesPerSecond) {
  preferences.pace.value = cyclesPerSecond;
  const cluster = store.cluster.peek();
  if (!cluster || !mayEdit.peek()) return;
  await post(of(cluster.id, "pace"), { cycles_per_second: cyclesPerSecond });
}

export const advance = (seconds) =>
  perform({ kind: "advance_clock", seconds: Math.ceil(seconds * 1000) / 1000 }, _("Letting virtual time pass"));

/** Advance virtual time until the first pod's backoff ends. */
export function advanceToBackoff() {
  const wait = untilBackoffEnds();
  if (wait !== null) advance(wait);
}

export const permit = (pod, decision) => perform({ kind: "permit", pod, decision }, _("Answering for the waiting pod"));

export const reset = () => perform({ kind: "reset" }, _("Going back to the start"));

/** Reset after a confirmation; at the start none is needed. */
export function askReset() {
  const { revision, can_undo: changed } = store.cluster.peek();
  if (!store.history.peek().pod.length && !changed && revision <= 1) return reset();
  openDialog("reset");
  return undefined;
}
