/** What the cluster views draw: the nodes, grouped by a label, with what is used and what the pod in view would add. */
import { computed } from "../vendor/preact.js";
import { preferences } from "./preferences.js";
import { frame, ground, podRequests } from "./store.js";
import { verdictOf } from "./frame.js";
import { share, shortReason } from "./format.js";
import { _, fill, number } from "./i18n.js";

const BARS = 3;

/** Resources worth a bar, at most three: cpu, memory, then the first extended one that some node has. */
function barResources(columns) {
  const has = (name) => columns.allocatable[name]?.some((value) => value > 0);
  const extended = columns.resources.filter((name) => name.includes("/") && has(name));
  return [...["cpu", "memory"].filter(has), ...extended].slice(0, BARS);
}

/** Labels that nodes can be grouped by: those with at least two values, and none twice. */
export const groupLabels = computed(() => {
  const labels = ground.value.columns?.labels ?? {};
  const seen = new Set();
  return Object.keys(labels).filter((name) => {
    const key = labels[name].join("\n");
    if (seen.has(key) || new Set(labels[name]).size < 2) return false;
    return seen.add(key);
  });
});

/** The label in force; "" means no grouping. */
export const groupLabel = computed(() => {
  const wish = preferences.groupBy.value;
  if (wish === "") return "";
  return groupLabels.value.includes(wish) ? wish : (groupLabels.value[0] ?? "");
});

/** {columns, resources, index: Map name → i, groups: [{label, members: [i]}]}; null until the nodes are there. */
export const layout = computed(() => {
  const { columns } = ground.value;
  if (!columns) return null;
  const values = columns.labels?.[groupLabel.value];
  const groups = new Map();
  columns.names.forEach((_name, i) => {
    const label = values?.[i] ?? "";
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(i);
  });
  const ordered = [...groups].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
  return {
    columns,
    resources: barResources(columns),
    index: new Map(columns.names.map((name, i) => [name, i])),
    groups: ordered.map(([label, members]) => ({ label, members })),
  };
});

/** What node `i` has of a resource: {resource, total, used, added}; `added` is what the pod in view would take. */
export function usage(model, i, resource) {
  const { columns } = model;
  const { minus } = ground.value;
  const own = minus?.node === columns.names[i] ? (minus.requests[resource] ?? 0) : 0;
  return {
    resource,
    total: columns.allocatable[resource]?.[i] ?? 0,
    used: Math.max(0, (columns.requested[resource]?.[i] ?? 0) - own),
    added: podRequests.value?.[resource] ?? 0,
  };
}

/** The fullest of a node's resources as a share of 0…1 (more when overcommitted). */
export function fullness(model, i) {
  let most = 0;
  for (const resource of model.resources) {
    const { used, total } = usage(model, i, resource);
    if (total > 0) most = Math.max(most, used / total);
  }
  return most;
}

/** The resource to put into words: an extended one if the pod wants it, else cpu. */
function wordedResource(model) {
  return model.resources.find((name) => name.includes("/") && podRequests.value?.[name]) ?? model.resources[0];
}

/** How many of a group are still in the search, or feasible once every filter ran; `short`: the numbers alone. */
export function aliveOf(alive, total, short = false) {
  if (short) return `${number(alive)}/${number(total)}`;
  const moment = frame.value;
  const text = moment && moment.reached < moment.filters.length ? _("{n} of {total} left") : _("{n} of {total} feasible");
  return fill(text, { n: number(alive), total: number(total) });
}

/** What a group of nodes is called. */
export function groupName(label) {
  if (label) return label;
  return groupLabel.value ? fill(_("no {label}"), { label: groupLabel.value.split("/").at(-1) }) : _("all nodes");
}

/** Has preemption nominated this node by the step in view? */
function isNominated(name) {
  const moment = frame.value;
  if (!moment || moment.record.cycle.nominated !== name) return false;
  return moment.step >= moment.record.cycle.steps.findIndex((step) => step.data?.nominatedNode) + 1;
}

/** Everything a card, a row or a tip says of node `i`. */
export function describeNode(model, i) {
  const { columns } = model;
  const name = columns.names[i];
  const verdict = verdictOf(frame.value, name);
  const alive = ["candidate", "pass", "chosen"].includes(verdict.state);
  const bars = model.resources.map((resource) => usage(model, i, resource)).filter((bar) => bar.total > 0);
  const worded = bars.find((bar) => bar.resource === wordedResource(model)) ?? bars[0];
  const numbers = worded ? share(worded.resource, worded.used, alive ? worded.added : 0, worded.total) : "";
  const reasons = verdict.status?.reasons ?? [];
  const nominated = isNominated(name);
  return {
    name,
    ...verdict,
    alive,
    bars,
    numbers: numbers.replace(/ ([+/]) /g, "\u200a$1\u200a"), // a card has no room for whole spaces
    nominated,
    reason: nominated ? _("nominated") : reasons.map(shortReason).join(", "),
    reasons,
    cordoned: Boolean(columns.unschedulable?.[i]),
    taints: columns.taints?.[i] ?? [],
    pods: columns.pods?.[i] ?? 0,
  };
}
