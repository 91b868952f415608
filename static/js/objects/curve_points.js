/** A load over time in the format of objects, `0h=5 12h=120`: parse, change points, format. */

export const SLOTS = 24;
const UNITS = { s: 1, m: 60, h: 3600, d: 86400 };
const SPANS = [3600, 6 * 3600, 86400, 7 * 86400]; // time spans of a curve; the first that contains all points is used
const SUFFIXES = { n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

const round = (value) => Number(value.toPrecision(3));

/** Return [{at: seconds, value}] in order of time; null if the text is no curve. */
export function pointsOf(text) {
  const points = [];
  for (const part of String(text ?? "")
    .split(/\s+/)
    .filter(Boolean)) {
    const [, time, unit, amount, suffix] = part.match(/^(\d+(?:\.\d+)?)([smhd]?)=(\d+(?:\.\d+)?)(\w*)$/) ?? [];
    if (time === undefined || !(suffix in SUFFIXES)) return null;
    points.push({ at: Number(time) * UNITS[unit || "s"], value: Number(amount) * SUFFIXES[suffix] });
  }
  return points.sort((one, other) => one.at - other.at);
}

const timeText = (seconds) => {
  const unit = ["h", "m"].find((each) => seconds % UNITS[each] === 0) ?? "s";
  return `${round(seconds / UNITS[unit])}${unit}`;
};

export const textOf = (points) => points.map(({ at, value }) => `${timeText(at)}=${round(value)}`).join(" ");

/** Return the time span of the curve in seconds. */
export const spanOf = (points) => SPANS.find((span) => !points.some(({ at }) => at > span)) ?? points.at(-1).at;

/** Return the value at a time: linear between two points, constant before the first and after the last. */
export function valueAt(points, time) {
  if (!points.length) return 0;
  const next = points.findIndex((point) => point.at > time);
  if (next < 0) return points.at(-1).value;
  if (next === 0) return points[0].value;
  const [before, after] = [points[next - 1], points[next]];
  return before.value + ((after.value - before.value) * (time - before.at)) / (after.at - before.at);
}

/** Return the curve with this value at a slot; points nearer to it than to the next slot are removed. */
export function withValue(points, slot, value, span) {
  const step = span / SLOTS;
  const others = points.filter((point) => Math.abs(point.at - slot * step) >= step / 2);
  return [...others, { at: slot * step, value: round(Math.max(0, value)) }].sort((one, other) => one.at - other.at);
}

/** Return the curve without the point at a slot; one point always stays. */
export function without(points, slot, span) {
  const step = span / SLOTS;
  const left = points.filter((point) => Math.abs(point.at - slot * step) >= step / 2);
  return left.length ? left : points;
}

/** Return the curve after a stroke from one slot and value to another. */
export function stroked(points, from, to, span) {
  const steps = Math.max(1, Math.abs(to.slot - from.slot));
  let drawn = points;
  for (let i = from.slot === to.slot ? 1 : 0; i <= steps; i += 1) {
    const slot = Math.round(from.slot + ((to.slot - from.slot) * i) / steps);
    drawn = withValue(drawn, slot, from.value + ((to.value - from.value) * i) / steps, span);
  }
  return drawn;
}

/** Return the next round number: 1, 2, 5, 10, … */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return round([1, 2, 5, 10].find((each) => each * power >= value) * power);
}
