/** The options of uPlot in the page's colors; a value holds until the next point. */
import { default as uPlot } from "../../vendor/uplot.js";
import { formatNumber } from "../base/i18n.js";
import { shortClock } from "./short_clock.js";

const COLOURS = 8;
const DASH = [5, 4];
const LOW = 1; // minimal upper end of a scale

/** A line at the current moment, from `now()`. */
const cursorLine = (now, tint) => ({
  hooks: {
    draw: (plot) => {
      const time = now();
      if (time === undefined) return;
      const x = Math.round(plot.valToPos(time, "x", true));
      plot.ctx.fillStyle = tint("chosen");
      plot.ctx.fillRect(x - 1, plot.bbox.top, Math.max(2, uPlot.pxRatio * 2), plot.bbox.height);
    },
  },
});

/** Let a press or a drag pick the point under the pointer. */
const picking = (pick) => ({
  hooks: {
    ready: ({ over, posToIdx }) => {
      const pickAt = (event) => pick(posToIdx(event.clientX - over.getBoundingClientRect().left));
      over.addEventListener("pointerdown", (event) => {
        over.setPointerCapture(event.pointerId);
        pickAt(event);
      });
      over.addEventListener("pointermove", (event) => event.buttons === 1 && pickAt(event));
    },
  },
});

export function plotOptions({ chart, width, height, now, pick }) {
  const style = getComputedStyle(document.documentElement);
  const tint = (name) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: tint("text-2"), font: `10px ${tint("sans")}`, grid: { stroke: tint("line"), width: 1 } };
  const most = (_plot, _low, high) => [0, Math.max(chart.most ?? LOW, high * 1.05)];
  return {
    width,
    height,
    padding: [6, 18, 0, 0], // room for half of the longest time label under the last point
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, sync: { key: "life" }, points: { size: 5 } },
    scales: { x: { time: false, range: (_plot, low, high) => [low, Math.max(high, low + 1)] }, y: { range: most } },
    axes: [
      { ...axis, size: 20, gap: 2, space: 60, ticks: { show: false }, values: (_plot, ticks) => ticks.map(shortClock) },
      {
        ...axis,
        size: 34,
        gap: 3,
        space: 24,
        ticks: { show: false },
        values: (_plot, ticks) => ticks.map((value) => formatNumber(value)),
      },
    ],
    series: [
      {},
      ...chart.series.map(({ name }, i) => ({
        label: name,
        stroke: tint(`series-${(i % COLOURS) + 1}`),
        width: 1.75,
        dash: i >= COLOURS ? DASH : undefined,
        points: { show: false },
        paths: uPlot.paths.stepped({ align: 1 }),
      })),
    ],
    plugins: [cursorLine(now, tint), picking(pick)],
  };
}
