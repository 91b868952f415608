/** Why no pod can be scheduled now, and the actions that would change it. */
import { isOffered } from "../access/allowed.js";
import { textOf } from "../base/sentence.js";
import { duration, podName } from "../base/format.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { updateQueue } from "../cycle/sync.js";
import { openSide, pinPod } from "../cycle/select.js";
import { untilBackoffEnds, whyWaits } from "./waits.js";

const make = (template, label) => ({ label, run: () => openDialog("new", { template }) });

/** Show why a pod found no node: its newest attempt and the reasons. `goTo(cycle)` shows a cycle. */
function explain(pod, goTo) {
  const { first, pod: pods } = store.history.peek();
  const last = pods.lastIndexOf(pod);
  pinPod(pod);
  if (last >= 0) goTo(first + last);
  openSide("why");
}

/** Return the first pod changed after its last attempt that has not moved: {pod, what}, or null. */
function changedSince(entries) {
  const { first, pod: pods } = store.history.peek();
  for (const { pod } of entries) {
    const last = pods.lastIndexOf(pod);
    const change =
      last >= 0 &&
      store.changes.peek().find((one) => one.cycle >= first + last && (one.everything || one.pods.includes(pod)));
    if (change) return { pod, what: textOf(change, "what") };
  }
  return null;
}

/**
 * Return {text, actions: [{label, run}]}; `advance(seconds)` advances virtual time, `activate(pod)` moves a pod to
 * Active.
 */
function idleness({ advance = null, goTo = null, activate = null }) {
  const { counts = {}, lanes = {} } = store.queue.peek() ?? {};
  const wait = untilBackoffEnds();
  if (wait !== null) {
    const pass = { label: fill(_("Let {time} pass"), { time: duration(wait) }), run: () => advance(wait) };
    return { text: _("No pod is ready: those that could be tried are in backoff."), actions: [pass] };
  }
  if (counts.unschedulable) {
    const { pod } = lanes.unschedulable[0];
    const why = (waiting) => ({ label: whyWaits(waiting), run: () => explain(waiting, goTo) });
    const changed = changedSince(lanes.unschedulable);
    if (changed) {
      const text = fill(
        _("No pod is ready: {pod} found no node before your change ({what}), and no hint has moved it since."),
        { pod: podName(changed.pod), what: changed.what },
      );
      return { text, actions: [{ label: _("Move it to Active"), run: () => activate(changed.pod) }, why(changed.pod)] };
    }
    const text = ngettext(
      "No pod is ready: {n} found no node, and nothing has changed that could help it.",
      "No pod is ready: {n} found no node, and nothing has changed that could help them.",
      counts.unschedulable,
    );
    return { text, actions: [why(pod), make("node", _("New node"))] };
  }
  if (counts.gated) {
    const see = { label: _("See them"), run: () => openDialog("lane", { lane: "gated" }) };
    return {
      text: ngettext(
        "No pod is ready: {n} is held by a scheduling gate.",
        "No pod is ready: {n} are held by scheduling gates.",
        counts.gated,
      ),
      actions: [see],
    };
  }
  if (counts.waiting) {
    const { pod } = lanes.waiting[0];
    const see = { label: podName(pod), run: () => (pinPod(pod), openSide("pod")) };
    return {
      text: ngettext(
        "No pod is ready: {n} waits for its binding.",
        "No pod is ready: {n} wait for their bindings.",
        counts.waiting,
      ),
      actions: [see],
    };
  }
  return { text: _("Nothing to do: every pod has a node."), actions: [make("pod", _("New pod"))] };
}

/** Return the reason alone, as one sentence. */
export const whyIdle = () => idleness({}).text;

/** Show the reason with its buttons, based on the present queues, which may still be loading. */
export async function tellIdle(means) {
  if (!(await updateQueue())) return;
  const { text, actions } = idleness(means);
  notify(text, { actions: isOffered("new") ? actions : [] });
}
