/** The steps of a cycle. The page includes the engine's table (simulator/explain/steps.py); this module reads it. */
import { sentence } from "../base/sentence.js";
import { duration, podName } from "../base/format.js";
import { number } from "../base/i18n.js";

const TABLE = JSON.parse(document.getElementById("steps").textContent);

/** The 14 extension points in execution order, by phase. */
export const PHASES = TABLE.phases;
export const pointOf = (step) => TABLE.home[step.point] ?? step.point;

const at = (about, path) => path.split(".").reduce((value, name) => value?.[name] ?? null, about);

function holds(when, about) {
  if (!when) return true;
  const value = at(about, when[0]);
  if (when[1] === "is") return String(value) === when[2];
  if (when[1] === "below") return value !== null && value < at(about, when[2]);
  return value !== null && value !== "";
}

const SHOWN = {
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
  rejected: (value) => value.map(([, reasons, count]) => `${number(count)} ${reasons.join(", ")}`).join("; "),
  pod: podName,
  seconds: duration,
};

function worded(found, about) {
  const args = Object.entries(found.args).map(([name, [how, path, ...words]]) => [
    name,
    SHOWN[how](at(about, path), ...words),
  ]);
  return sentence({ template: found.template, args: Object.fromEntries(args) });
}

/** Return the result of a step as a sentence; `actors`: the plugins that skip in a row, if it is such a step. */
export function sentenceOf(step, cycle, actors = []) {
  const about = { step, cycle, actors };
  const cases = TABLE.sentences[step.code] ?? TABLE.sentences[step.point] ?? [];
  const found = cases.find(({ when }) => holds(when, about));
  return found ? worded(found, about) : step.reasons?.length ? `${step.code}: ${step.reasons.join(", ")}` : step.code;
}

/** Return how an attempt ended; null if upstream's message says it. */
export const endOf = (cycle) =>
  TABLE.outcomes[cycle.outcome] ? worded(TABLE.outcomes[cycle.outcome], { cycle }) : null;
