/** The model of the nodes on the screen: grouped by a label, with usage and the share of the selected pod. */
import { computed } from "../../vendor/preact.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { atHeadOf, panelMoments } from "../cycle/panel_frames.js";
import { VERDICTS, verdictOf } from "../cycle/frame.js";
import { staleChangeFor } from "../cycle/stale_verdicts.js";
import { plainReason } from "../cycle/plain_reasons.js";
import { formatUsage } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";

const MOST_GROUPS = 200; // a label with more values than this is no grouping
const ALIVE = new Set(["candidate", "pass", "chosen"]);

const clusterAtHead = atHeadOf(panelMoments.cluster);

/** The requests of the cycle's Pod, {resource: int}; null until they are known. */
const podRequests = computed(() => {
  const { pod, requests } = store.requests.value;
  return panelMoments.cluster.value?.record.cycle.pod === pod ? requests : null;
});

/**
 * The nodes before the cycle on the screen: {columns, asOf: "cycle" | "now", minus: {node, requests} or null}. At the
 * newest cycle they are the present nodes without the cycle's pod. The server is asked for the nodes of earlier cycles,
 * and of cycles that evicted pods.
 */
export const nodesInView = computed(() => {
  const shown = panelMoments.cluster.value;
  const newest = clusterAtHead.value;
  const found = store.nodesBeforeCycle.value;
  if (shown && found?.cycle === shown.record.cycle.number) return { columns: found, asOf: "cycle", minus: null };
  const requests = podRequests.value;
  const node = shown?.record.cycle.node;
  const columns = store.nodes.value;
  // Columns from before the cycle do not include its pod.
  const isIn = columns && shown && columns.revision >= shown.record.seq;
  const minus = newest && isIn && node && requests ? { node, requests } : null;
  return { columns, asOf: newest ? "cycle" : "now", minus };
});

/** True if the open cluster has devices. Otherwise the page loads no module that shows them. */
export const hasDevices = computed(() => (store.cluster.value?.counts.ResourceSlice ?? 0) > 0);

// Unchanged column objects let the views skip work.
const names = computed(() => nodesInView.value.columns?.names ?? null);
const labels = computed(() => nodesInView.value.columns?.labels ?? {});
const allocatable = computed(() => nodesInView.value.columns?.allocatable ?? {});
const resourceNames = computed(() => nodesInView.value.columns?.resources ?? []);

/** Resources that some node has, one bar each; pods are dots instead. */
const barResources = computed(() =>
  resourceNames.value.filter((name) => name !== "pods" && allocatable.value[name]?.some((value) => value > 0)),
);

/** Labels for grouping: those with at least two values and without duplicates. */
export const groupLabels = computed(() => {
  const seen = new Set();
  return Object.keys(labels.value).filter((name) => {
    const column = labels.value[name];
    const values = new Set(column).size;
    if (values < 2 || values > MOST_GROUPS) return false;
    const key = column.join("\n");
    return !seen.has(key) && seen.add(key);
  });
});

/** The current label; "" means no grouping. */
export const groupLabel = computed(() => {
  const preferred = preferences.groupBy.value;
  if (preferred === "") return "";
  return groupLabels.value.includes(preferred) ? preferred : (groupLabels.value[0] ?? "");
});

const index = computed(() => new Map((names.value ?? []).map((name, i) => [name, i])));

const groups = computed(() => {
  const values = labels.value[groupLabel.value];
  const membersByLabel = new Map();
  (names.value ?? []).forEach((_name, i) => {
    const label = values?.[i] ?? "";
    if (!membersByLabel.has(label)) membersByLabel.set(label, []);
    membersByLabel.get(label).push(i);
  });
  const ordered = [...membersByLabel].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
  return ordered.map(([label, members]) => ({ label, members }));
});

/** Return the number of bars per card: one per resource, and a row of cells with devices. */
export const barsOf = (model) => model.resources.length + (hasDevices.value ? 1 : 0);

/** {columns, resources, index: Map name → i, groups: [{label, members: [i]}]}; null until the nodes are loaded. */
export const layout = computed(() => {
  const { columns } = nodesInView.value;
  return columns && { columns, resources: barResources.value, index: index.value, groups: groups.value };
});

/** Return what the cycle's pod already uses on node `i` of one resource; it does not count as used. */
function ownShare(model, i, resource) {
  const { minus } = nodesInView.value;
  return minus?.node === model.columns.names[i] ? (minus.requests[resource] ?? 0) : 0;
}

/** Return a resource of node `i`: {resource, total, used, added}; `added` is what the selected pod would use. */
function nodeUsage(model, i, resource) {
  const { columns } = model;
  return {
    resource,
    total: columns.allocatable[resource]?.[i] ?? 0,
    used: Math.max(0, (columns.requested[resource]?.[i] ?? 0) - ownShare(model, i, resource)),
    added: podRequests.value?.[resource] ?? 0,
  };
}

const levels = new WeakMap();

/** Return cached `fullness` of every node without the selected pod: {level: [share or null]}. */
function levelsOf(model, resource) {
  const { columns } = model;
  if (!levels.has(columns)) levels.set(columns, new Map());
  const known = levels.get(columns);
  if (!known.has(resource)) {
    const resources = resource ? [resource] : model.resources;
    const all = resources.map((name) => [columns.allocatable[name] ?? [], columns.requested[name] ?? []]);
    known.set(
      resource,
      columns.names.map((_name, i) =>
        all.reduce((most, [total, used]) => (total[i] > 0 ? Math.max(most ?? 0, used[i] / total[i]) : most), null),
      ),
    );
  }
  return known.get(resource);
}

/** Return how full each node is of `resource` ("": its fullest) as a share of 0…1, or more; null if it has none. */
export function fullness(model, resource = "") {
  const levels = levelsOf(model, resource);
  const i = model.index.get(nodesInView.value.minus?.node);
  if (i === undefined) return levels;
  const shares = (resource ? [resource] : model.resources)
    .map((name) => nodeUsage(model, i, name))
    .filter((bar) => bar.total > 0);
  const own = levels.slice();
  own[i] = shares.length ? Math.max(...shares.map((bar) => bar.used / bar.total)) : null;
  return own;
}

/** Return the sum of a group's or the cluster's nodes: {resource, used, total} of one resource. */
export function sumUsage(model, members, resource) {
  let used = 0;
  let total = 0;
  for (const i of members) {
    total += model.columns.allocatable[resource]?.[i] ?? 0;
    used += (model.columns.requested[resource]?.[i] ?? 0) - ownShare(model, i, resource);
  }
  return { resource, used, total, added: 0 };
}

/**
 * Return the resource to describe in words: that of the colors, else an extended one that the pod requests, else cpu.
 */
function describedResource(model) {
  if (preferences.colour.value === "use" && model.resources.includes(preferences.colourResource.value))
    return preferences.colourResource.value;
  return model.resources.find((name) => name.includes("/") && podRequests.value?.[name]) ?? model.resources[0];
}

/** Return how many of a group are still in the search, or feasible after every filter ran; `short`: only numbers. */
export function remainingText(moment, alive, total, short = false) {
  if (short) return `${formatNumber(alive)}/${formatNumber(total)}`;
  const text =
    moment && moment.reached < moment.filters.length ? _("{n} of {total} left") : _("{n} of {total} feasible");
  return fill(text, { n: formatNumber(alive), total: formatNumber(total) });
}

/** Return how many of these nodes are not rejected. */
export const countRemaining = ({ columns }, members, { verdict, row }) =>
  members.reduce((sum, i) => sum + ALIVE.has(VERDICTS[verdict[row.get(columns.names[i])]]), 0);

export function groupName(label) {
  if (label) return label;
  return groupLabel.value ? fill(_("no {label}"), { label: groupLabel.value.split("/").at(-1) }) : _("all nodes");
}

/** Return true if preemption has nominated this node up to this step. */
export function isNominated(moment, name) {
  if (!moment || moment.record.cycle.nominated !== name) return false;
  return moment.step >= moment.record.cycle.steps.findIndex((step) => step.data?.nominatedNode) + 1;
}

/** Remove spaces, because a card is narrow. */
const tightenSpaces = (words) => words.replace(/ ([+/]) /g, "\u200a$1\u200a");

/** Return what a card, a row or a tip shows of node `i`; `moment` is the frame of its panel. */
export function describeNode(model, i, moment) {
  const { columns } = model;
  const name = columns.names[i];
  const verdict = verdictOf(moment, name);
  const alive = ALIVE.has(verdict.state);
  const bars = model.resources.map((resource) => nodeUsage(model, i, resource)).filter((bar) => bar.total > 0);
  const described = bars.find((bar) => bar.resource === describedResource(model)) ?? bars[0];
  const added = alive ? described?.added : 0;
  const text = (used, plus, most = Infinity) => {
    const exact = described ? formatUsage(described.resource, used, plus, described.total) : "";
    return exact.length > most ? formatUsage(described.resource, used, plus, described.total, true) : exact;
  };
  const reasons = verdict.status?.reasons ?? [];
  const plain = reasons.map((reason) => plainReason(reason, columns.taints?.[i])).join(", ");
  const nominated = isNominated(moment, name);
  const own = nodesInView.value.minus?.node === name ? 1 : 0;
  return {
    name,
    ...verdict,
    alive,
    bars,
    numbers: text(described?.used, added),
    short: tightenSpaces(text(described?.used, added, 18)),
    sum: tightenSpaces(text(described?.used + added, 0, 13)), // beside a score there is no space for both parts
    nominated,
    stale: verdict.state === "idle" ? null : staleChangeFor(name),
    reason: nominated ? _("nominated") : plain,
    reasons,
    title: reasons.length ? `${reasons.join(", ")} · ${plain}` : "", // a card truncates long text
    cordoned: Boolean(columns.unschedulable?.[i]),
    taints: columns.taints?.[i] ?? [],
    pods: Math.max(0, (columns.pods?.[i] ?? 0) - own),
  };
}
