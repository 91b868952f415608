/** The results of a comparison as rows: each figure of each side over its seeds. */
import { unitOf } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";

const formatPercent = (value) => `${formatNumber(Math.round(value * 1000) / 10)} %`;
const formatPoints = (value) => fill(_("{n} points"), { n: formatNumber(Math.round(value * 1000) / 10) });
const formatRounded = (value) => formatNumber(Math.round(value * 10) / 10);
const formatRate = (value) => fill(_("{n}/s"), { n: formatNumber(Math.round(value)) });

/** Return the label of a resource: "cpu" → "CPU", "memory" → "Memory", "nvidia.com/gpu" → "gpu". */
export const resourceTitle = (resource) => {
  if (resource === "memory") return _("Memory");
  return resource === "cpu" ? "CPU" : unitOf(resource).toUpperCase();
};

/** Return [{key, label, title, show, of: (run) => number | undefined, better: 1 | -1 | 0}] for these runs. */
function listFigures(runs) {
  const done = runs.map((run) => run.metrics).filter(Boolean);
  const resources = [...new Set(done.flatMap((metrics) => Object.keys(metrics.utilisation)))];
  const plainFigure = (key, label, better = 0, title = "") => ({
    key,
    label,
    title,
    better,
    show: formatRounded,
    of: (run) => run.metrics?.[key],
  });
  const rows = [
    plainFigure("placed", _("Placed pods"), 1),
    plainFigure("pending", _("Pending pods"), -1),
    plainFigure("victims", _("Evicted by preemption"), -1),
    plainFigure("nodes_used", _("Nodes in use")),
  ];
  for (const resource of resources) {
    const word = resourceTitle(resource);
    const part = (name) => (run) => run.metrics?.utilisation[resource]?.[name];
    rows.push({
      key: `use.${resource}`,
      label: fill(_("{resource} in use"), { resource: word }),
      better: 0,
      show: formatPercent,
      change: formatPoints,
      of: part("mean"),
      title: _("Requested share of all allocatable resources"),
    });
    rows.push({
      key: `spread.${resource}`,
      label: fill(_("{resource} spread"), { resource: word }),
      better: 0,
      show: formatPoints,
      of: part("spread"),
      title: _("Standard deviation of the nodes' shares"),
    });
  }
  for (const resource of resources) {
    const label = fill(_("{resource} fragmented"), { resource: resourceTitle(resource) });
    const title = _("Share of free resources that an average Pod of this workload cannot use because it does not fit");
    rows.push({
      key: `fragmented.${resource}`,
      label,
      title,
      better: -1,
      show: formatPercent,
      change: formatPoints,
      of: (run) => run.metrics?.fragmentation[resource],
    });
  }
  rows.push({
    key: "skew",
    label: _("Zone skew"),
    title: _("Placed Pods in the fullest zone minus those in the emptiest"),
    better: 0,
    show: formatRounded,
    of: (run) => run.metrics?.zones?.skew,
  });
  rows.push(plainFigure("attempts", _("Attempts")));
  rows.push({
    key: "rate",
    label: _("Decisions per second"),
    title: _("Measured with the worker's wall clock; differs between runs"),
    better: 0,
    show: formatRate,
    of: (run) => run.decisions_per_second ?? undefined,
  });
  return rows;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Return [{key, label, title, show, cells: [{mean, values} | null], max, delta}]: one cell per side; `delta` for two
 * sides, else null.
 */
export function comparisonRows(comparison) {
  const runs = comparison.runs ?? [];
  return listFigures(runs)
    .map((figure) => {
      const cells = comparison.sides.map((_side, index) => {
        const values = runs
          .filter((run) => run.side === index)
          .map(figure.of)
          .filter((value) => value !== undefined && value !== null);
        return values.length ? { mean: mean(values), values } : null;
      });
      const max = Math.max(0, ...cells.flatMap((cell) => cell?.values ?? []));
      const delta = cells.length === 2 && cells[0] && cells[1] ? cells[1].mean - cells[0].mean : null;
      return { ...figure, cells, max, delta };
    })
    .filter((row) => row.cells.some(Boolean) && (row.max > 0 || ["placed", "pending"].includes(row.key)));
}

/** Return why pods are pending: [{reason, counts: [mean by side]}], most frequent first. */
export function pendingReasons(comparison) {
  const reasons = new Map();
  comparison.sides.forEach((_side, index) => {
    const done = comparison.runs.filter((run) => run.side === index && run.metrics);
    for (const run of done) {
      for (const [reason, count] of Object.entries(run.metrics.pending_by_reason)) {
        if (!reasons.has(reason))
          reasons.set(
            reason,
            comparison.sides.map(() => 0),
          );
        reasons.get(reason)[index] += count / done.length;
      }
    }
  });
  return [...reasons]
    .map(([reason, counts]) => ({ reason, counts }))
    .sort((a, b) => Math.max(...b.counts) - Math.max(...a.counts));
}

/** Return histograms of nodes by tenth of use: [{resource, sides: [[10 means]]}], for resources of every side. */
export function nodeHistograms(comparison) {
  const done = comparison.runs.filter((run) => run.metrics);
  const resources = [...new Set(done.flatMap((run) => Object.keys(run.metrics.utilisation)))];
  return resources.map((resource) => ({
    resource,
    sides: comparison.sides.map((_side, index) => {
      const bins = done
        .filter((run) => run.side === index)
        .map((run) => run.metrics.utilisation[resource]?.histogram)
        .filter(Boolean);
      return bins.length ? bins[0].map((_count, bin) => mean(bins.map((each) => each[bin]))) : null;
    }),
  }));
}

/** Return the seeds with results on both sides. */
export const seedsOfBoth = (comparison, a, b) =>
  comparison.seeds.filter((seed) =>
    [a, b].every((side) =>
      comparison.runs.some((run) => run.side === side && run.seed === seed && run.state === "done"),
    ),
  );

/** Return the label for the state of a comparison or of one of its runs. */
export const stateWord = (state) =>
  ({ queued: _("queued"), running: _("running"), done: _("done"), failed: _("failed"), cancelled: _("canceled") })[
    state
  ];

/** Return "A", "B", … */
export const sideLetter = (index) => String.fromCharCode(65 + index);
