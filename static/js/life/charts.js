/**
 * Charts over virtual time: use, waiting pods with reasons, phases, nodes, price; all share the cursor with the page.
 */
import { default as uPlot } from "../../vendor/uplot.js";
import { html, useEffect, useRef } from "../../vendor/preact.js";
import { clusterPath } from "../base/api.js";
import { formatClock, resourceLabel } from "../base/format.js";
import { _, formatNumber } from "../base/i18n.js";
import { preferences, theme } from "../base/preferences.js";
import { store } from "../base/store.js";
import { createClusterAnswer } from "../clusters/cluster_answer.js";
import { useSize } from "../parts/canvas.js";
import { icon } from "../parts/icon.js";
import { refusal } from "../access/allowed.js";
import { plotOptions } from "./chart_options.js";
import { moveSlider } from "./slider_keys.js";
import { goToRecord, lastUpTo, selectedSeq } from "./controller_steps.js";

const REST = 700; // ms between two requests during fast changes
const COLOURS = 8;

const charts = createClusterAnswer("charts", REST);

const percent = (value) => `${formatNumber(Math.round(value))} %`;
const price = (value) => formatNumber(Math.round(value * 1000) / 1000);

/** Return the charts: [{id, title, word(value), series: [{name, values}]}], without those that are all zero. */
function chartsOf({ use, waiting, phases, nodes, price: costs }) {
  const hasValues = ({ values }) => values.some((value) => value > 0);
  const listSeries = (columns, word = (name) => name) =>
    Object.entries(columns)
      .map(([name, values]) => ({ name: word(name), values }))
      .filter(hasValues);
  const all = [
    {
      id: "use",
      title: _("Requested share of node capacity"),
      word: percent,
      series: listSeries(use, resourceLabel),
      most: 100,
    },
    {
      id: "waiting",
      title: _("Pending Pods by rejecting plugin"),
      word: formatNumber,
      series: listSeries(waiting),
    },
    { id: "phases", title: _("Pods by phase"), word: formatNumber, series: listSeries(phases) },
    { id: "nodes", title: _("Nodes"), word: formatNumber, series: [{ name: _("nodes"), values: nodes }] },
    {
      id: "price",
      title: _("Price of the nodes per hour"),
      word: price,
      series: [{ name: _("per hour"), values: costs }],
    },
  ];
  return all.filter((chart) => chart.series.some(hasValues) || chart.id === "nodes");
}

function Chart({ chart, t, place, onPick }) {
  const box = useRef(null);
  const plot = useRef(null);
  const pick = useRef(onPick);
  const currentTime = useRef(0);
  const colour = theme();
  const size = useSize(box);
  const width = Math.round(size.width);
  const height = Math.round(size.height);
  pick.current = onPick;
  currentTime.current = t[place];
  const names = chart.series.map(({ name }) => name).join("\n");
  useEffect(() => {
    if (!width) return undefined;
    const data = [t, ...chart.series.map(({ values }) => values)];
    const options = plotOptions({ chart, width, height, now: () => currentTime.current, pick: (i) => pick.current(i) });
    plot.current = new uPlot(options, data, box.current);
    return () => {
      plot.current.destroy();
      plot.current = null;
    };
  }, [width, height, colour, names]);
  useEffect(() => {
    plot.current?.setData([t, ...chart.series.map(({ values }) => values)]);
  }, [chart, t]);
  useEffect(() => {
    plot.current?.redraw(false);
  }, [place]);
  return html`<div class="chart" data-chart=${chart.id}>
    <h3 class="cut" title=${chart.title}>${chart.title}</h3>
    <div ref=${box} class="chart-plot" aria-hidden="true" />
    <ul>
      ${chart.series.map(
        ({ name, values }, i) => html`<li key=${name} class=${`cut ${i >= COLOURS ? "dashed" : ""}`} title=${name}
          style=${{ "--series": `var(--series-${(i % COLOURS) + 1})` }}
        ><i />${name} <b class="num">${chart.word(values[place] ?? 0)}</b></li>`,
      )}
    </ul>
  </div>`;
}

/** `closable`: show a close button. */
export function Charts({ closable = false }) {
  const cluster = store.cluster.value;
  useEffect(charts.refresh, [cluster.id, cluster.revision]);
  const answer = charts.current();
  if (!answer) return html`<div class="charts"><p class="quiet">${_("Loading the charts")}</p></div>`;
  const { t, seq } = answer;
  const place = selectedSeq.value === null ? t.length - 1 : Math.max(0, lastUpTo(seq, selectedSeq.value));
  const held = refusal("cycle-back");
  const goToPoint = (i) => !held && t.length && goToRecord(seq[i]);
  return html`<div class="charts">
    <div class="head">
      <p class="grow" role="slider" tabindex="0" aria-label=${_("Time of the charts")} aria-valuemin="0"
        aria-valuemax=${Math.max(0, t.length - 1)} aria-valuenow=${Math.max(0, place)}
        aria-valuetext=${t.length ? formatClock(t[place]) : ""}
        onKeyDown=${(event) => moveSlider(event, place, t.length - 1, goToPoint)}
      >
        ${t.length ? html`<b class="mono">${formatClock(t[place])}</b>` : _("Nothing has happened yet.")}
      </p>
      <a class="btn small" href=${document.body.dataset.api + clusterPath(cluster.id, "charts", "csv")} download="">
        ${_("Download CSV")}
      </a>
      ${
        closable &&
        html`<button type="button" class="btn small icon" aria-label=${_("Close the charts")}
          title=${_("Close the charts")} onClick=${() => (preferences.charts.value = false)}
        >${icon("close")}</button>`
      }
    </div>
    <div class="chart-grid">
      ${
        t.length > 0 &&
        chartsOf(answer).map(
          (chart) => html`<${Chart} key=${chart.id} chart=${chart} t=${t} place=${place} onPick=${goToPoint} />`,
        )
      }
    </div>
  </div>`;
}
