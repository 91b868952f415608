/** What is said of points, steps, lanes and verdicts. Kubernetes' own names are not translated, sentences are. */
import { duration, podName } from "./format.js";
import { pointOf, sameSkip, stepsOf } from "./frame.js";
import { _, ngettext, fill, number } from "./i18n.js";

/** Column heads of the matrix; a plugin that is not here heads its column with its own name. */
const SHORT = {
  NodeUnschedulable: "Unsched.",
  NodeName: "Name",
  TaintToleration: "Taint",
  NodeAffinity: "Affinity",
  NodePorts: "Ports",
  NodeResourcesFit: "Fit",
  NodeResourcesBalancedAllocation: "Balance",
  VolumeRestrictions: "VolRestr.",
  NodeVolumeLimits: "VolLimits",
  VolumeBinding: "Volume",
  VolumeZone: "VolZone",
  PodTopologySpread: "Spread",
  InterPodAffinity: "InterPod",
  ImageLocality: "Image",
  DynamicResources: "DynRes.",
};
export const shortPlugin = (plugin) => SHORT[plugin] ?? plugin;

/** A long name that may break where its next word starts, never inside one. */
export const wordsOf = (name) => name.split(/(?=[A-Z][a-z])/);

export const verdictWord = (state) =>
  ({
    idle: _("not looked at yet"),
    candidate: _("still in"),
    pass: _("feasible"),
    rejected: _("rejected"),
    error: _("error"),
    chosen: _("chosen"),
    unseen: _("not evaluated"),
  })[state];

export const pointStateWord = (state) =>
  ({
    ran: _("ran"),
    skipped: _("skipped"),
    failed: _("failed"),
    waiting: _("waiting"),
    ahead: _("to come"),
    needless: _("not needed"),
    unreached: _("not reached"),
    before: _("earlier"),
  })[state];

export const phaseWord = (phase) =>
  ({
    queueing: _("Queueing"),
    filtering: _("Filtering"),
    scoring: _("Scoring"),
    reserving: _("Reserving"),
    binding: _("Binding"),
  })[phase];

export const laneWord = (lane) =>
  ({
    new: _("New"),
    gated: _("Gated"),
    active: _("Active"),
    backoff: _("Backoff"),
    errorBackoff: _("Error backoff"),
    unschedulable: _("Unschedulable"),
    inFlight: _("In flight"),
    waiting: _("Waiting at Permit"),
    bound: _("Bound"),
    ignored: _("Ignored"),
    gone: _("Gone"),
  })[lane] ?? lane;

export const outcomeWord = (outcome) =>
  ({
    scheduled: _("scheduled"),
    unschedulable: _("unschedulable"),
    error: _("error"),
    waiting: _("waiting at Permit"),
    skipped: _("skipped"),
  })[outcome] ?? outcome;

/** Why some nodes were never looked at; null when all were. */
export function samplingNote({ nodes }) {
  const left = nodes.total - nodes.evaluated;
  if (left <= 0 || nodes.toFind === null) return null;
  const values = { nodes: ngettext("{n} node not evaluated", "{n} nodes not evaluated", left), want: number(nodes.toFind), percent: Math.round((nodes.toFind / nodes.total) * 100) };
  return fill(_("{nodes}: percentageOfNodesToScore stops at {want} feasible ({percent} %)"), values);
}

/** What each extension point is for, in one line. */
export const pointHelp = (point) =>
  ({
    PreEnqueue: _("May the pod enter the Active queue?"),
    QueueSort: _("Which pod comes first?"),
    PreFilter: _("Work done once for all nodes; may narrow them"),
    Filter: _("Which nodes can take the pod?"),
    PostFilter: _("No node was left: can preemption make room?"),
    PreScore: _("Work done once before scoring"),
    Score: _("How good is each feasible node?"),
    NormalizeScore: _("Scores brought to 0–100, then the host is selected"),
    Reserve: _("The pod is assumed on the node and resources are reserved"),
    Unreserve: _("Reservations given back after a failure"),
    Permit: _("Allow, reject or let the pod wait"),
    PreBind: _("What must be done before binding, such as volumes"),
    Bind: _("The pod is bound to the node"),
    PostBind: _("Told after the pod was bound"),
  })[point];

function rejectedText(step) {
  const rejected = step.data?.rejected ?? [];
  return rejected.map(([, reasons, count]) => `${number(count)} ${reasons.join(", ")}`).join("; ");
}

const result = (step) => (step.reasons?.length ? `${step.code}: ${step.reasons.join(", ")}` : step.code);

const SENTENCES = {
  QueueSort: (step, cycle) =>
    fill(_("{pod} comes first in the queue, with priority {priority}"), { pod: podName(cycle.pod), priority: cycle.priority }),
  Sample: (step, { nodes }) => {
    const values = { want: number(nodes.toFind ?? nodes.total), total: number(nodes.total), start: number(nodes.start) };
    if (nodes.toFind === null || nodes.toFind >= nodes.total) return fill(_("All {total} nodes are looked at"), values);
    return fill(_("{want} feasible nodes of {total} are enough; the search starts at node {start} of the list"), values);
  },
  Filter: (step) => {
    const text = fill(_("{in} nodes in, {out} left"), { in: number(step.in ?? 0), out: number(step.out ?? 0) });
    return step.data?.rejected?.length ? `${text}: ${rejectedText(step)}` : text;
  },
  PostFilter: (step) => {
    if (step.data?.nominatedNode) {
      const victims = ngettext("{n} pod is evicted", "{n} pods are evicted", step.data.victims?.length ?? 0);
      return fill(_("{victims}, and {node} is nominated"), { victims, node: step.data.nominatedNode });
    }
    return result(step);
  },
  Score: (step) =>
    step.data
      ? fill(_("raw scores from {min} to {max}, weight ×{weight}"), {
          min: number(step.data.min),
          max: number(step.data.max),
          weight: step.data.weight,
        })
      : result(step),
  NormalizeScore: (step) =>
    step.data
      ? fill(_("normalised to {min}–{max}, weight ×{weight}"), {
          min: number(step.data.min),
          max: number(step.data.max),
          weight: step.data.weight,
        })
      : result(step),
  SelectHost: (step, cycle) => {
    const { node, total, ties = [] } = step.data ?? {};
    if (cycle.nodes.feasible === 1) return fill(_("{node} is the only feasible node, so nothing is scored"), { node });
    const values = { node, total: number(total ?? 0), n: number(ties.length) };
    if (ties.length > 1) return fill(_("{node}, drawn with the seed among {n} nodes that share the best total, {total}"), values);
    return fill(_("{node} has the best total, {total}"), values);
  },
  Assume: (step, cycle) => fill(_("the cache counts the pod on {node} from now on"), { node: cycle.node ?? "" }),
  Permit: (step) =>
    step.code === "Wait" && step.data?.timeout !== undefined
      ? fill(_("the pod waits, at most {time}"), { time: duration(step.data.timeout) })
      : result(step),
};

/** The plugin, extender or built-in step that a step is. */
export const actor = (step) => step.plugin || step.extender || step.point;

/** How many plugins skipped at the same point right before this step, which skips too. */
export function skipsBefore(record, index) {
  const steps = stepsOf(record);
  let count = 0;
  while (sameSkip(steps[index - count - 1], steps[index])) count += 1;
  return count;
}

/** Plugins that skip one after the other are told in one breath. */
function skipSentence(record, index) {
  const before = skipsBefore(record, index);
  if (!before) return _("skips: it has nothing to say about this pod");
  const names = stepsOf(record).slice(index - before, index + 1).map(actor);
  return fill(_("{n} plugins skip, they have nothing to say about this pod: {plugins}"), { n: names.length, plugins: names.join(", ") });
}

/** One sentence for a step of a cycle. */
export function stepSentence(record, index) {
  const step = stepsOf(record)[index];
  if (!step) return "";
  if (step.code === "Skip") return skipSentence(record, index);
  if (step.code === "Error") return result(step);
  return (SENTENCES[step.point] ?? result)(step, record.cycle);
}

/** What is read out at each step: where we are and what happened. */
export function spoken(record, step) {
  const { cycle } = record;
  const head = fill(_("Cycle {n}, {pod}"), { n: cycle.number, pod: podName(cycle.pod) });
  const entry = stepsOf(record)[step - 1];
  if (!entry || step === stepsOf(record).length) return `${head}: ${outcomeSentence(cycle)}`;
  return `${head}: ${pointOf(entry)}, ${actor(entry)}: ${stepSentence(record, step - 1)}`;
}

/** How an attempt ended. */
export function outcomeSentence(cycle) {
  const values = { node: cycle.node ?? "" };
  if (cycle.outcome === "scheduled") return fill(_("scheduled on {node}"), values);
  if (cycle.outcome === "waiting") return fill(_("waits at Permit for {node}"), values);
  return cycle.message || outcomeWord(cycle.outcome);
}
