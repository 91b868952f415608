/** Time: what each extension point and plugin took, when the cycle on the screen is run again. */
import { html } from "../../vendor/preact.js";
import { hover } from "../actions/select.js";
import { asked } from "../explain/asking.js";
import { podName } from "../format.js";
import { _, fill } from "../i18n.js";
import { frame } from "../store.js";
import { Answer } from "./parts/answer.js";
import { What } from "./parts/what.js";

/** 0.0000312 → "31 µs", 0.0021 → "2.1 ms". */
export function shortTime(seconds) {
  if (seconds < 0.001) return fill(_("{n} µs"), { n: Math.round(seconds * 1e6) });
  return fill(_("{n} ms"), { n: Number((seconds * 1000).toFixed(seconds < 0.01 ? 2 : 1)) });
}

/** Steps by point, in the order that they ran: [{point, seconds, steps: [{plugin, code, seconds}]}]. */
export function byPoint(steps) {
  const points = new Map();
  for (const step of steps) {
    if (!points.has(step.point)) points.set(step.point, { point: step.point, seconds: 0, steps: [] });
    const point = points.get(step.point);
    point.seconds += step.seconds;
    point.steps.push(step);
  }
  return [...points.values()];
}

const STEPS = new Set(["Sample", "SelectHost", "Assume"]);

function Bar({ seconds, most, tone }) {
  return html`<span class="bar time-bar"><i class=${tone} style=${{ width: `${(seconds / most) * 100}%` }} /></span>`;
}

function Point({ point, most }) {
  return html`<li data-time=${point.point}>
    <p class="time-row point-time"><b>${point.point} <${What} kind=${STEPS.has(point.point) ? "step" : "point"} name=${point.point} /></b><${Bar} seconds=${point.seconds} most=${most} tone="whole" /><b class="num">${shortTime(point.seconds)}</b></p>
    ${!STEPS.has(point.point) && html`<ul>${point.steps.map((step, index) => html`<li key=${index} class="time-row" onPointerEnter=${() => hover({ plugin: step.plugin })} onPointerLeave=${() => hover({ plugin: null })}>
      <span class="cut" title=${step.plugin}>${step.plugin}${step.code === "Skip" ? html` <span class="quiet">${_("skips")}</span>` : ""}</span><${Bar} seconds=${step.seconds} most=${most} tone="" /><span class="num quiet">${shortTime(step.seconds)}</span></li>`)}</ul>`}
  </li>`;
}

export function Time() {
  const moment = frame.value;
  if (!moment) return html`<p class="empty quiet">${_("What each extension point and plugin takes is told here, once a cycle has run.")}</p>`;
  const { cycle } = moment.record;
  return html`<h3 class="side-title">${fill(_("Time in cycle {n}, {pod}"), { n: cycle.number, pod: podName(cycle.pod) })}</h3>
    <${Answer} answer=${asked(cycle.number, "timings")}>${({ steps }) => {
      const points = byPoint(steps);
      const most = Math.max(...points.map((point) => point.seconds), 1e-9);
      const total = points.reduce((sum, point) => sum + point.seconds, 0);
      return html`<p class="quiet" data-measured>${fill(_("{time} in all, measured just now: the cycle was run again up to the choice of a node. What is recorded holds no durations, so that it stays the same every time."), { time: shortTime(total) })}</p>
        <ul class="times">${points.map((point) => html`<${Point} key=${point.point} point=${point} most=${most} />`)}</ul>`;
    }}<//>`;
}
