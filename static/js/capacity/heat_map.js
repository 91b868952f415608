/** A heat map of failures: how many pods find no other node when a node or its domain fails. */
import { effect } from "../../vendor/preact.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { heatMap } from "../cluster/node_colors.js";

const STEPS = 4; // above "none"

const rangeText = (low, high) => fill(_("{low}–{high} pending"), { low: formatNumber(low), high: formatNumber(high) });

/** Color the nodes by `rows`: failures, each with the names of its nodes. */
export function showFailuresOnCluster(rows) {
  const pending = new Map(rows.flatMap((row) => row.names.map((name) => [name, row.pending.length])));
  const most = Math.max(1, ...pending.values());
  const step = (count) => (count === 0 ? 0 : Math.max(1, Math.ceil((count * STEPS) / most)));
  const bounds = Array.from({ length: STEPS }, (_unused, i) => [
    Math.floor((i * most) / STEPS) + 1,
    Math.floor(((i + 1) * most) / STEPS),
  ]);
  const ranges = bounds.map(([low, high]) =>
    low > high ? null : low === high ? ngettext("{n} pending", "{n} pending", low) : rangeText(low, high),
  );
  const cluster = store.cluster.peek().id;
  heatMap.value = (model) => {
    const count = (i) => pending.get(model.columns.names[i]);
    return {
      step: (i) => (count(i) === undefined ? null : step(count(i))),
      word: (i) => (count(i) === undefined ? "" : ngettext("{n} pending", "{n} pending", count(i))),
      legend: [_("all Pods find another node"), ...ranges],
      none: model.columns.names.every((name) => pending.has(name)) ? null : _("not included"),
      end: endHeatMap,
    };
  };
  const stop = effect(() => {
    if (store.cluster.value?.id !== cluster) queueMicrotask(() => (stop(), endHeatMap()));
  });
}

function endHeatMap() {
  heatMap.value = null;
}
