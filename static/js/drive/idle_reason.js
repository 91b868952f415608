/** Why no pod can be scheduled now, and the actions that would change it. */
import { isOffered } from "../access/allowed.js";
import { translatedText } from "../base/sentence.js";
import { formatDuration, podName } from "../base/format.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { updateQueue } from "../cycle/sync.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { secondsUntilBackoffEnds, whyWaitsLabel } from "./waiting_time.js";

const createButton = (template, label) => ({ label, run: () => openDialog("new", { template }) });

/** Show why a pod found no node: its newest attempt and the reasons. `goTo(cycle)` shows a cycle. */
function showNewestAttempt(pod, goTo) {
  const { first, pod: pods } = store.history.peek();
  const last = pods.lastIndexOf(pod);
  pinPod(pod);
  if (last >= 0) goTo(first + last);
  openSideTab("why");
}

/** Return the first pod changed after its last attempt that has not moved: {pod, what}, or null. */
function findChangedPod(entries) {
  const { first, pod: pods } = store.history.peek();
  for (const { pod } of entries) {
    const last = pods.lastIndexOf(pod);
    const change =
      last >= 0 &&
      store.changes
        .peek()
        .find((other) => other.cycle >= first + last && (other.everything || other.pods.includes(pod)));
    if (change) return { pod, what: translatedText(change, "what") };
  }
  return null;
}

/**
 * Return {text, actions: [{label, run}]}; `advance(seconds)` advances virtual time, `activate(pod)` moves a pod to
 * Active.
 */
function explainIdle({ advance = null, goTo = null, activate = null }) {
  const { counts = {}, lanes = {} } = store.queue.peek() ?? {};
  const wait = secondsUntilBackoffEnds();
  if (wait !== null) {
    const pass = { label: fill(_("Let {time} pass"), { time: formatDuration(wait) }), run: () => advance(wait) };
    return { text: _("No Pod is ready: the remaining ones are in backoff."), actions: [pass] };
  }
  if (counts.unschedulable) {
    const { pod } = lanes.unschedulable[0];
    const whyButton = (waiting) => ({ label: whyWaitsLabel(waiting), run: () => showNewestAttempt(waiting, goTo) });
    const changed = findChangedPod(lanes.unschedulable);
    if (changed) {
      const text = fill(
        _("No Pod is ready: {pod} found no node before your change ({what}), and no hint has moved it since."),
        { pod: podName(changed.pod), what: changed.what },
      );
      return {
        text,
        actions: [{ label: _("Move it to Active"), run: () => activate(changed.pod) }, whyButton(changed.pod)],
      };
    }
    const text = ngettext(
      "No Pod is ready: {n} has no node, and no later change could help it.",
      "No Pod is ready: {n} have no node, and no later change could help them.",
      counts.unschedulable,
    );
    return { text, actions: [whyButton(pod), createButton("node", _("New node"))] };
  }
  if (counts.gated) {
    const see = { label: _("See them"), run: () => openDialog("lane", { lane: "gated" }) };
    return {
      text: ngettext(
        "No Pod is ready: {n} is held by a scheduling gate.",
        "No Pod is ready: {n} are held by scheduling gates.",
        counts.gated,
      ),
      actions: [see],
    };
  }
  if (counts.waiting) {
    const { pod } = lanes.waiting[0];
    const see = { label: podName(pod), run: () => (pinPod(pod), openSideTab("pod")) };
    return {
      text: ngettext(
        "No Pod is ready: {n} waits for its binding.",
        "No Pod is ready: {n} wait for their bindings.",
        counts.waiting,
      ),
      actions: [see],
    };
  }
  return { text: _("Nothing to do: every Pod has a node."), actions: [createButton("pod", _("New pod"))] };
}

/** Return the reason alone, as one sentence. */
export const whyIdle = () => explainIdle({}).text;

/** Show the reason with its buttons, based on the present queues, which may still be loading. */
export async function showIdleReason(handlers) {
  if (!(await updateQueue())) return;
  const { text, actions } = explainIdle(handlers);
  notify(text, { actions: isOffered("new") ? actions : [] });
}
