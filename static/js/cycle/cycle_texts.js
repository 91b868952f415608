/** Texts for points, steps, queues and verdicts. Sentences are translated, names of Kubernetes are not. */
import { podName } from "../base/format.js";
import { isSameSkip, stepsOf } from "./frame.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { describeEnd, pointOf, describeStep } from "./cycle_steps.js";

/** Column heads of the matrix; other plugins use their own name. */
const SHORT_NAMES = {
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
export const shortPlugin = (plugin) => SHORT_NAMES[plugin] ?? plugin;

export const verdictWord = (state) =>
  ({
    idle: _("not evaluated yet"),
    candidate: _("still feasible"),
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
    waiting: _("waiting for its binding"),
    skipped: _("skipped"),
  })[outcome] ?? outcome;

/** Return why some nodes were not evaluated; null if all were. */
export function samplingNote({ nodes }) {
  const left = nodes.total - nodes.evaluated;
  if (left <= 0 || nodes.toFind === null) return null;
  const values = {
    nodes: ngettext("{n} node not evaluated", "{n} nodes not evaluated", left),
    want: formatNumber(nodes.toFind),
    percent: Math.round((nodes.toFind / nodes.total) * 100),
  };
  return fill(_("{nodes}: percentageOfNodesToScore stops at {want} feasible ({percent} %)"), values);
}

export const pointHelp = (point) =>
  ({
    PreEnqueue: _("May the pod enter the Active queue?"),
    QueueSort: _("Which pod comes first?"),
    PreFilter: _("Work done once for all nodes; may exclude some"),
    Filter: _("Which nodes can take the pod?"),
    PostFilter: _("No node was left: can preemption make room?"),
    PreScore: _("Work done once before scoring"),
    Score: _("How good is each feasible node?"),
    NormalizeScore: _("Scores brought to 0–100, then the host is selected"),
    Reserve: _("The pod is assumed on the node and resources are reserved"),
    Unreserve: _("Reservations released after a failure"),
    Permit: _("Allow, reject or let the pod wait"),
    PreBind: _("Work needed before binding, such as volumes"),
    Bind: _("The pod is bound to the node"),
    PostBind: _("Runs after the Pod is bound"),
  })[point];

/** Return the plugin, extender or built-in step of a step. */
export const stepSource = (step) => step.plugin || step.extender || step.point;

/** Return how many plugins skipped at the same point right before this skipped step. */
export function countSkipsBefore(record, index) {
  const steps = stepsOf(record);
  let count = 0;
  while (isSameSkip(steps[index - count - 1], steps[index])) count += 1;
  return count;
}

export function stepSentence(record, index) {
  const step = stepsOf(record)[index];
  if (!step) return "";
  const plugins = stepsOf(record)
    .slice(index - countSkipsBefore(record, index), index + 1)
    .map(stepSource);
  return describeStep(step, record.cycle, plugins);
}

/** Return the text that a screen reader reads at each step: position and result. */
export function spokenText(record, step) {
  const { cycle } = record;
  const head = fill(_("Cycle {n}, {pod}"), { n: cycle.number, pod: podName(cycle.pod) });
  const entry = stepsOf(record)[step - 1];
  if (!entry || step === stepsOf(record).length) return `${head}: ${outcomeSentence(cycle)}`;
  return `${head}: ${pointOf(entry)}, ${stepSource(entry)}: ${stepSentence(record, step - 1)}`;
}

export const outcomeSentence = (cycle) => describeEnd(cycle) ?? (cycle.message || outcomeWord(cycle.outcome));
