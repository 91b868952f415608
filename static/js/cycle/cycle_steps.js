/**
 * The steps of a cycle. The engine's table (simulator/explain/steps.py) is part of the page; this module evaluates it.
 */
import { translateSentence } from "../base/sentence.js";
import { formatDuration, podName } from "../base/format.js";
import { formatNumber } from "../base/i18n.js";

const TABLE = JSON.parse(document.getElementById("steps").textContent);

/** The 14 extension points in execution order, by phase. */
export const PHASES = TABLE.phases;
export const pointOf = (step) => TABLE.home[step.point] ?? step.point;

const valueAt = (about, path) => path.split(".").reduce((value, name) => value?.[name] ?? null, about);

function isConditionMet(when, about) {
  if (!when) return true;
  const value = valueAt(about, when[0]);
  if (when[1] === "is") return String(value) === when[2];
  if (when[1] === "below") return value !== null && value < valueAt(about, when[2]);
  return value !== null && value !== "";
}

const FORMATTERS = {
  text: (value) => String(value ?? ""),
  number: (value) => value ?? 0,
  count: (value) => value?.length ?? 0,
  plural: (value, template, plural) => ({
    template,
    plural,
    count: value?.length ?? 0,
    args: { n: value?.length ?? 0 },
  }),
  list: (value) => value.join(", "),
  rejected: (value) => value.map(([, reasons, count]) => `${formatNumber(count)} ${reasons.join(", ")}`).join("; "),
  pod: podName,
  seconds: formatDuration,
};

function fillSentence(entry, about) {
  const args = Object.entries(entry.args).map(([name, [how, path, ...words]]) => [
    name,
    FORMATTERS[how](valueAt(about, path), ...words),
  ]);
  return translateSentence({ template: entry.template, args: Object.fromEntries(args) });
}

/** Return the result of a step as a sentence; `plugins`: those that skip in a row, if it is such a step. */
export function describeStep(step, cycle, plugins = []) {
  const about = { step, cycle, actors: plugins };
  const cases = TABLE.sentences[step.code] ?? TABLE.sentences[step.point] ?? [];
  const match = cases.find(({ when }) => isConditionMet(when, about));
  return match
    ? fillSentence(match, about)
    : step.reasons?.length
      ? `${step.code}: ${step.reasons.join(", ")}`
      : step.code;
}

/** Return how an attempt ended; null if the cycle's message from kube-scheduler explains it. */
export const describeEnd = (cycle) =>
  TABLE.outcomes[cycle.outcome] ? fillSentence(TABLE.outcomes[cycle.outcome], { cycle }) : null;
