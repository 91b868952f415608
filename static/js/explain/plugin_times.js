/** The time of each extension point and plugin, in the cycle on the screen or in all attempts of the cluster. */
import { html, signal, useEffect } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { hover } from "../cycle/selection.js";
import { answerOf } from "./cached_answers.js";
import { podName } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { lastCycle, store } from "../base/store.js";
import { Answer } from "../parts/answer.js";
import { Segments } from "../parts/segments.js";
import { GlossaryButton } from "../parts/glossary_button.js";
import { useFrame } from "../cycle/panel_frames.js";

/** Format seconds: 0.0000312 → "31 µs", 0.0021 → "2.1 ms", 12.3 → "12.3 s". */
function formatTime(seconds) {
  if (seconds < 0.001) return fill(_("{n} µs"), { n: formatNumber(Math.round(seconds * 1e6)) });
  if (seconds < 1) return fill(_("{n} ms"), { n: Number((seconds * 1000).toFixed(seconds < 0.01 ? 2 : 1)) });
  return fill(_("{n} s"), { n: Number(seconds.toFixed(seconds < 10 ? 2 : 1)) });
}

/** Return steps by point, in execution order: [{point, seconds, steps: [{plugin, code, seconds}]}]. */
function groupByPoint(steps) {
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
const scope = signal("cycle");

// The sums of the open cluster, {id, value}, fetched again after new cycles.
const sums = signal(null);
const refreshSums = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (!id) return;
  try {
    sums.value = { id, value: await get(clusterPath(id, "timings")) };
  } catch {
    // The page reports the lost connection; the next cycle asks again.
  }
}, 500);

function Bar({ seconds, most, tone }) {
  return html`<span class="bar time-bar"><i class=${tone} style=${{ width: `${(seconds / most) * 100}%` }} /></span>`;
}

function Point({ point, most, children }) {
  return html`<li data-time=${point.point}>
    <p class="time-row point-time">
      <b>${point.point} <${GlossaryButton} kind=${STEPS.has(point.point) ? "step" : "point"} name=${point.point} /></b>
      <${Bar} seconds=${point.seconds} most=${most} tone="whole" />
      <b class="num">${formatTime(point.seconds)}</b>
    </p>
    ${!STEPS.has(point.point) && html`<ul>${children}</ul>`}
  </li>`;
}

function Row({ plugin, note, seconds, most, title }) {
  return html`<li class="time-row" title=${title} onPointerEnter=${() => hover({ plugin })}
    onPointerLeave=${() => hover({ plugin: null })}
  >
    <span class="cut">${plugin} <span class="quiet">${note}</span></span>
    <${Bar} seconds=${seconds} most=${most} tone="" />
    <span class="num quiet">${formatTime(seconds)}</span>
  </li>`;
}

const longest = (points) => Math.max(...points.map((point) => point.seconds), 1e-9);

function CycleTimes({ cycle }) {
  return html`
    <h3 class="side-title">${fill(_("Time in cycle {n}, {pod}"), { n: cycle.number, pod: podName(cycle.pod) })}</h3>
    <${Answer} answer=${answerOf(cycle.number, "timings")}>
      ${({ steps }) => {
        const points = groupByPoint(steps);
        const most = longest(points);
        const total = points.reduce((sum, point) => sum + point.seconds, 0);
        return html`
          <p class="quiet" data-measured>
            ${fill(
              _(
                "{time} in all, measured now. The cycle ran again up to the choice of a node, because records " +
                  "contain no durations.",
              ),
              { time: formatTime(total) },
            )}
          </p>
          <ul class="times">
            ${points.map(
              (point) => html`<${Point} key=${point.point} point=${point} most=${most}>
                ${point.steps.map(
                  (step, index) => html`<${Row} key=${index} plugin=${step.plugin}
                    note=${step.code === "Skip" ? _("skips") : ""} seconds=${step.seconds} most=${most}
                    title=${step.plugin}
                  />`,
                )}
              <//>`,
            )}
          </ul>
        `;
      }}
    <//>
  `;
}

/** Return how often a plugin ran, and how often it skipped. */
function runsText({ runs, skips }) {
  if (!runs) return fill(_("skips {n}×"), { n: formatNumber(skips) });
  return skips
    ? fill(_("{n}×, skips {m}×"), { n: formatNumber(runs), m: formatNumber(skips) })
    : fill(_("{n}×"), { n: formatNumber(runs) });
}

function rowTitle(entry) {
  const mean = entry.seconds / (entry.runs + entry.skips);
  return fill(_("{plugin}: {mean} on average, {longest} at most"), {
    plugin: entry.plugin,
    mean: formatTime(mean),
    longest: formatTime(entry.longest),
  });
}

function ClusterTimes() {
  const id = store.cluster.value.id;
  const last = lastCycle.value;
  useEffect(refreshSums, [id, last]);
  const totals = sums.value?.id === id ? sums.value.value : null;
  if (!totals) return html`<p class="quiet working" role="status">${_("Calculating…")}</p>`;
  if (!totals.attempts)
    return html`<p class="empty quiet">${_("No attempt of this cluster has been measured yet.")}</p>`;
  const most = longest(totals.points);
  const attempts = ngettext("{n} attempt", "{n} attempts", totals.attempts);
  return html`
    <h3 class="side-title">${fill(_("Time in all: {attempts}"), { attempts })}</h3>
    <p class="quiet" data-measured>
      ${fill(
        _(
          "{time} in all, {mean} per attempt, measured by the workers. Point at a plugin to see its " +
            "average and longest times.",
        ),
        { time: formatTime(totals.seconds), mean: formatTime(totals.seconds / totals.attempts) },
      )}
    </p>
    <ul class="times">
      ${totals.points.map(
        (point) => html`<${Point} key=${point.point} point=${point} most=${most}>
          ${point.plugins.map(
            (entry) => html`<${Row} key=${entry.plugin} plugin=${entry.plugin} note=${runsText(entry)}
              seconds=${entry.seconds} most=${most} title=${rowTitle(entry)}
            />`,
          )}
        <//>`,
      )}
    </ul>
  `;
}

export function Time() {
  const moment = useFrame();
  if (!moment)
    return html`<p class="empty quiet">
      ${_("Times of extension points and plugins appear here after the first cycle.")}
    </p>`;
  const options = [
    ["cycle", _("this cycle")],
    ["cluster", _("all attempts")],
  ];
  return html`
    <div class="row time-scope">
      <${Segments} label=${_("Time of")} options=${options} value=${scope.value}
        onPick=${(picked) => (scope.value = picked)}
      />
    </div>
    ${scope.value === "cluster" ? html`<${ClusterTimes} />` : html`<${CycleTimes} cycle=${moment.record.cycle} />`}
  `;
}
