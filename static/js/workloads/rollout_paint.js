/** The drawing of a rollout: a bar per moment, bounds as dashed lines, the current moment. */
import { colours, penOf } from "../parts/canvas.js";

const NAMES = [
  "bar",
  "chosen",
  "passed",
  "rejected",
  "text",
  "text-2",
  "line",
  "series-2",
  "series-4",
  "series-5",
  "series-7",
];
const FAINT = 0.4;
const EDGE = 1.5; // px
const ROOM = 4; // px above the highest bar, for its dashed line
const GAP_FROM = 4; // px of a bar from which on it has a gap beside it

const topOf = ({ wanted, most }, bands) => {
  const sums = wanted.map((_one, i) => bands.reduce((sum, { values }) => sum + values[i], 0));
  return Math.max(1, ...sums, ...wanted.map((one) => one ?? 0), ...most.map((one) => one ?? 0));
};

/** `places`: where the points begin, as fractions of 1, and the end; `isNewest`: the moment is the end. */
export function paintRollout(canvas, { width, height }, { answer, bands, places, place, isNewest }) {
  const pen = penOf(canvas, width, height);
  const tint = colours(NAMES);
  const high = (height - ROOM) / topOf(answer, bands);
  const y = (count) => height - count * high;
  const gap = width / (places.length - 1) >= GAP_FROM ? 1 : 0;
  for (let i = 0; i + 1 < places.length; i += 1) {
    const x = places[i] * width;
    const wide = Math.max(0.5, places[i + 1] * width - x - gap);
    let below = 0;
    for (const { values, faint, tint: name } of bands) {
      if (!values[i]) continue;
      pen.fillStyle = tint[name];
      pen.globalAlpha = faint ? FAINT : 1;
      pen.fillRect(x, y(below + values[i]), wide, values[i] * high);
      pen.globalAlpha = 1;
      below += values[i];
      if (faint) pen.fillRect(x, y(below), wide, EDGE);
    }
  }
  pen.strokeStyle = tint.text;
  pen.setLineDash([4, 3]);
  for (const bound of [answer.least, answer.most]) dashed(pen, bound, places, width, y);
  pen.setLineDash([]);
  pen.fillStyle = tint.line;
  pen.fillRect(0, height - 1, width, 1);
  if (place < 0) return;
  const x = isNewest ? width - 1 : ((places[place] + places[place + 1]) / 2) * width;
  pen.fillStyle = tint.text;
  pen.fillRect(Math.round(x) - 1, 0, 2, height);
}

function dashed(pen, bound, places, width, y) {
  pen.beginPath();
  bound.forEach((count, i) => {
    if (count === null) return;
    const from = places[i] * width;
    if (bound[i - 1] === count) pen.lineTo(places[i + 1] * width, y(count));
    else {
      pen.moveTo(from, y(count));
      pen.lineTo(places[i + 1] * width, y(count));
    }
  });
  pen.stroke();
}
