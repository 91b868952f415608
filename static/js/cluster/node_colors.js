/** Node colors that are no verdict: use or score, in five steps of one hue. Pure except for words. */
import { signal } from "../../vendor/preact.js";
import { verdictOf } from "../cycle/frame.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { fullness } from "../nodes/nodes_model.js";

/** Colors of an answer that replace the user's choice: model → colors as below; null for none. */
export const heatMap = signal(null);

/** Colors by owner of the pods: model → colors as below; null until loaded. */
export const ownerMap = signal(null);

const STEPS = 5;

/** Return the step 0…4 of a share 0…1; null for no value. */
const stepOf = (part) =>
  part === null || Number.isNaN(part) ? null : Math.max(0, Math.min(STEPS - 1, Math.floor(part * STEPS)));

const percent = (part) => `${Math.round(part * 100)} %`;

/** Return colors by use of `resource` ("": each node's fullest): {step(i), word(i), legend: [text], none}. */
function colorsByUse(model, resource) {
  const full = fullness(model, resource);
  return {
    step: (i) => stepOf(full[i]),
    word: (i) => (full[i] === null ? "" : percent(full[i])),
    legend: Array.from({ length: STEPS }, (_unused, step) => `${(step * 100) / STEPS}–${((step + 1) * 100) / STEPS} %`),
    none: resource ? _("none") : null,
  };
}

/** Return colors by total score, from the lowest total of this cycle to the highest. */
function colorsByScore(model, moment) {
  const totals = moment?.totals ?? [];
  const [low, high] = totals.reduce(
    ([least, most], total) => [Math.min(least, total), Math.max(most, total)],
    [Infinity, -Infinity],
  );
  const total = (i) => verdictOf(moment, model.columns.names[i]).total;
  const part = (value) => (high > low ? (value - low) / (high - low) : 1);
  const bound = (step) => formatNumber(Math.round(low + ((high - low) * step) / STEPS));
  const legend = Array.from({ length: STEPS }, (_unused, step) => `${bound(step)}–${bound(step + 1)}`);
  const labels = high > low ? legend : high === low ? [...Array(STEPS - 1).fill(null), formatNumber(high)] : [];
  return {
    step: (i) => (total(i) === null ? null : stepOf(part(total(i)))),
    word: (i) => (total(i) === null ? "" : fill(_("total {n}"), { n: formatNumber(total(i)) })),
    legend: labels,
    none: moment ? _("not scored") : _("no cycle yet"),
  };
}

/** Return the colors of `mode` ("use", "score" or "owner"); null for "verdict", which has its own. */
export function colorsFor(mode, model, moment, resource) {
  if (mode === "use") return colorsByUse(model, resource);
  if (mode === "owner") return ownerMap.value?.(model) ?? null;
  return mode === "score" ? colorsByScore(model, moment) : null;
}
