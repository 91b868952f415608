/**
 * Node colours that are no verdict: how full a node is, or how it scored, in five steps of one hue. Pure but for words.
 */
import { signal } from "../../vendor/preact.js";
import { verdictOf } from "../cycle/frame.js";
import { _, fill, number } from "../base/i18n.js";
import { fullness } from "../nodes/nodes_model.js";

/** Colours that an answer puts on the nodes, in place of those that are chosen: model → colours, as below; or null. */
export const heatMap = signal(null);

/** Colours by whose pods are there: model → colours, as below; null until they are known. */
export const ownerMap = signal(null);

const STEPS = 5;

/** The step 0…4 of a share of 0…1; null where there is nothing to show. */
const stepOf = (part) =>
  part === null || Number.isNaN(part) ? null : Math.max(0, Math.min(STEPS - 1, Math.floor(part * STEPS)));

const percent = (part) => `${Math.round(part * 100)} %`;

/** Colours by use of `resource` ("": each node's fullest): {step(i), word(i), legend: [text], none}. */
function byUse(model, resource) {
  const full = fullness(model, resource);
  return {
    step: (i) => stepOf(full[i]),
    word: (i) => (full[i] === null ? "" : percent(full[i])),
    legend: Array.from({ length: STEPS }, (_unused, step) => `${(step * 100) / STEPS}–${((step + 1) * 100) / STEPS} %`),
    none: resource ? _("has none") : null,
  };
}

/** Colours by total score: the lightest step is the lowest total of this cycle, the strongest the highest. */
function byScore(model, moment) {
  const totals = moment?.totals ?? [];
  const [low, high] = totals.reduce(
    ([least, most], total) => [Math.min(least, total), Math.max(most, total)],
    [Infinity, -Infinity],
  );
  const total = (i) => verdictOf(moment, model.columns.names[i]).total;
  const part = (value) => (high > low ? (value - low) / (high - low) : 1);
  const bound = (step) => number(Math.round(low + ((high - low) * step) / STEPS));
  const legend = Array.from({ length: STEPS }, (_unused, step) => `${bound(step)}–${bound(step + 1)}`);
  const found = high > low ? legend : high === low ? [...Array(STEPS - 1).fill(null), number(high)] : [];
  return {
    step: (i) => (total(i) === null ? null : stepOf(part(total(i)))),
    word: (i) => (total(i) === null ? "" : fill(_("total {n}"), { n: number(total(i)) })),
    legend: found,
    none: moment ? _("not scored") : _("no cycle yet"),
  };
}

/** The colours of `mode` ("use", "score" or "owner"); null for "verdict", whose colours are the verdicts'. */
export function heatOf(mode, model, moment, resource) {
  if (mode === "use") return byUse(model, resource);
  if (mode === "owner") return ownerMap.value?.(model) ?? null;
  return mode === "score" ? byScore(model, moment) : null;
}
