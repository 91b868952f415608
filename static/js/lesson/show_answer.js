/** The demonstration of a prediction: plays the cycle, after running it if needed, or points at the queue. */
import { waitUntilReady, performCommand } from "../drive/run.js";
import { playSteps } from "../cycle/playback.js";
import { _ } from "../base/i18n.js";
import { pointAt } from "./view_pointer.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";

/** The tab with the reasons, by question. */
const TABS = { chosen_node: "scores", victims: "preemption", nominated_node: "preemption" };
const ARRIVES_WITHIN = 4000; // ms, after the command is done

/** Return the first cycle of the pod (of any, if none is named) after the question; undefined for none. */
function findCycle({ pod }, since) {
  const { first, pod: pods, seq } = store.history.peek();
  const index = pods.findIndex((one, i) => seq[i] > since && (pod === null || one === pod));
  return index < 0 ? undefined : first + index;
}

/** Resolve with the cycle when its record arrives. */
const waitForCycle = (demonstration, since) =>
  new Promise((resolve) => {
    let stop = () => {};
    const timer = setTimeout(() => (stop(), resolve(undefined)), ARRIVES_WITHIN);
    stop = store.history.subscribe(() => {
      const cycle = findCycle(demonstration, since);
      if (cycle === undefined) return;
      clearTimeout(timer);
      queueMicrotask(() => stop());
      resolve(cycle);
    });
  });

/** Show the answer. `demonstration` is the `show` of the lesson's text, `check` the answered check. */
export async function showAnswer(demonstration, check) {
  if (demonstration.by === "queue") return pointAt("queues");
  let cycle = findCycle(demonstration, check.since);
  if (cycle === undefined) {
    if (!(await waitUntilReady())) return undefined;
    const ended = await performCommand({ kind: "schedule_one" }, _("Scheduling the next pod"));
    if (ended?.state !== "done") return undefined;
    cycle = await waitForCycle(demonstration, check.since);
    if (cycle === undefined) return undefined;
  }
  const node =
    check.kind === "node"
      ? (check.right.find((name) => store.nodes.peek()?.names.includes(name)) ?? null)
      : demonstration.node;
  if (node) store.pinned.value = { ...store.pinned.peek(), node, plugin: null };
  store.side.value = TABS[demonstration.ask] ?? "why";
  showPanel("cluster");
  return playSteps(cycle, 1);
}
