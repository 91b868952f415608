/**
 * What comes of a prediction, shown: the cycle runs, unless it has, and is walked through; or the queue is pointed at.
 */
import { whenReady, perform } from "../drive/run.js";
import { playSteps } from "../cycle/walk.js";
import { _ } from "../base/i18n.js";
import { pointAt } from "./pointing.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";

/** The tab that has the reasons, by what was asked. */
const TABS = { chosen_node: "scores", victims: "preemption", nominated_node: "preemption" };
const ARRIVES_WITHIN = 4000; // ms, after the command is done

/**
 * The first cycle of the pod (of any, where none is named) after the question was asked; undefined as long as there is
 * none.
 */
function cycleOf({ pod }, since) {
  const { first, pod: pods, seq } = store.history.peek();
  const index = pods.findIndex((one, i) => seq[i] > since && (pod === null || one === pod));
  return index < 0 ? undefined : first + index;
}

/** Resolves with the cycle as soon as its record is here. */
const arrival = (show, since) =>
  new Promise((resolve) => {
    let stop = () => {};
    const timer = setTimeout(() => (stop(), resolve(undefined)), ARRIVES_WITHIN);
    stop = store.history.subscribe(() => {
      const cycle = cycleOf(show, since);
      if (cycle === undefined) return;
      clearTimeout(timer);
      queueMicrotask(() => stop());
      resolve(cycle);
    });
  });

/** `show` as the lesson's text has it, `check` as it was answered. */
export async function showAnswer(show, check) {
  if (show.by === "queue") return pointAt("queues");
  let cycle = cycleOf(show, check.since);
  if (cycle === undefined) {
    if (!(await whenReady())) return undefined;
    const ended = await perform({ kind: "schedule_one" }, _("Scheduling the next pod"));
    if (ended?.state !== "done") return undefined;
    cycle = await arrival(show, check.since);
    if (cycle === undefined) return undefined;
  }
  const node =
    check.kind === "node" ? (check.right.find((name) => store.nodes.peek()?.names.includes(name)) ?? null) : show.node;
  if (node) store.pinned.value = { ...store.pinned.peek(), node, plugin: null };
  store.side.value = TABS[show.ask] ?? "why";
  showPanel("cluster");
  return playSteps(cycle, 1);
}
