/**
 * The painter of cells. Shapes show the verdict as well as colors: ◆ chosen, ✕ rejected, frame feasible, hatch not
 * evaluated.
 */

import { VERDICTS } from "../cycle/frame.js";

// Colors by owner, like heat-0 to heat-4 by amount.
const OWNERS = Array.from({ length: 8 }, (_unused, i) => `heat-${5 + i}`);
const COLOR_NAMES = [
  "page",
  "text",
  "bar",
  "bar-track",
  "hatch",
  "chosen",
  "on-chosen",
  "rejected",
  "rejected-wash",
  "passed",
  "unseen",
  "line-strong",
  "heat-0",
  "heat-1",
  "heat-2",
  "heat-3",
  "heat-4",
  ...OWNERS,
];
const HATCHED = 4; // px between two hatch lines
const TINY = 7; // px of a cell below which a shape is only a filled square

const palettes = new Map();

/** Read a theme's colors once, because reading them computes the page's styles. */
export function readPalette() {
  const { theme } = document.documentElement.dataset;
  if (!palettes.has(theme)) {
    const style = getComputedStyle(document.documentElement);
    palettes.set(
      theme,
      Object.fromEntries(COLOR_NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])),
    );
  }
  return palettes.get(theme);
}

function makeHatch(context, colour, ratio) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = HATCHED * ratio;
  const pen = tile.getContext("2d");
  pen.strokeStyle = colour;
  pen.globalAlpha = 0.6;
  pen.lineWidth = ratio;
  pen.beginPath();
  for (const shift of [-1, 0, 1]) {
    pen.moveTo((shift * HATCHED - 1) * ratio, (HATCHED + 1) * ratio);
    pen.lineTo((shift * HATCHED + HATCHED + 1) * ratio, -ratio);
  }
  pen.stroke();
  const pattern = context.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

// The state painted on each canvas, to skip cells that would look the same.
const painted = new WeakMap();
const NO_RANK = 63;

/** Return a canvas of this size; it is cleared only if size, cells, theme or kind of colors change. */
function prepareCanvas(canvas, { cells, cell, width, height, step, palette }, ratio) {
  const before = painted.get(canvas);
  const look = `${cell} ${width} ${height} ${ratio} ${Boolean(step)} ${palette.page}`;
  if (before?.cells === cells && before.look === look) return before;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const side = cell - (cell >= 12 ? 3 : cell >= 9 ? 2 : 1);
  const fresh = {
    cells,
    look,
    brush: { pen, side, palette, hatched: makeHatch(pen, palette.unseen, ratio) },
    keys: new Int32Array(cells.length).fill(-1),
  };
  painted.set(canvas, fresh);
  return fresh;
}

/**
 * Paint cells. `cells`: [{i, x, y}] in px; `states[i]`: verdict, a number of VERDICTS; `levels[i]`: 0…1, how full;
 * `step(i)` replaces both if colors are no verdict: 0…4, or 5…12 by owner, or null. Only changed cells are painted, so
 * scrubbing over 5,000 nodes takes a few milliseconds.
 */
export function paintCells(canvas, plan) {
  const { cells, cell, states, levels, step } = plan;
  const { brush, keys } = prepareCanvas(canvas, plan, window.devicePixelRatio || 1);
  const { pen, side } = brush;
  const looks = new Map();
  for (let k = 0; k < cells.length; k += 1) {
    const { i, x, y } = cells[k];
    const rank = step ? step(i) : Math.round(side * Math.min(1, levels[i] ?? 0));
    const key = states[i] * 64 + (rank ?? NO_RANK);
    if (keys[k] === key) continue;
    const corner = { left: Math.round(x), top: Math.round(y) };
    if (keys[k] >= 0) pen.clearRect(corner.left, corner.top, Math.min(side + 1, cell), Math.min(side + 1, cell));
    keys[k] = key;
    const sameLook = looks.get(key);
    if (sameLook) sameLook.push(corner);
    else looks.set(key, [corner]);
  }
  // Group cells that look the same: changing the pen costs as much as drawing.
  for (const [key, places] of looks) {
    const verdict = VERDICTS[key >> 6];
    const rank = key & 63;
    if (step) paintHeat(brush, places, rank === NO_RANK ? null : rank, verdict);
    else paintVerdicts(brush, places, verdict, rank);
  }
}

function paintVerdicts(brush, places, state, level) {
  const { pen, side, palette, hatched } = brush;
  const bad = state === "rejected" || state === "error";
  if (bad && side < TINY) return fillCells(pen, palette.rejected, places, side);
  if (state === "chosen") return drawDiamonds(brush, places);
  fillCells(pen, bad ? palette["rejected-wash"] : palette["bar-track"], places, side);
  if (bad) return drawCrosses(brush, places);
  if (level) fillCells(pen, palette.bar, places, side, level);
  if (state === "unseen") fillCells(pen, hatched, places, side);
  if (state !== "pass" && state !== "candidate") return undefined;
  pen.setLineDash(state === "candidate" ? [2, 1.5] : []);
  return strokeFrames(pen, palette.passed, places, side, 1);
}

function paintHeat({ pen, side, palette, hatched }, places, step, state) {
  fillCells(pen, step === null ? palette["bar-track"] : palette[`heat-${step}`], places, side);
  if (step === null) fillCells(pen, hatched, places, side);
  pen.setLineDash([]);
  if (state === "error") strokeFrames(pen, palette.rejected, places, side, 1.5);
}

/** Fill the lower `high` px of each cell. */
function fillCells(pen, colour, places, side, high = side) {
  pen.fillStyle = colour;
  for (const { left, top } of places) pen.fillRect(left, top + side - high, side, high);
}

function strokeFrames(pen, colour, places, side, width) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  for (const { left, top } of places) pen.strokeRect(left + width / 2, top + width / 2, side - width, side - width);
}

function drawCrosses({ pen, side, palette }, places) {
  const arm = Math.max(1.5, side * 0.26);
  pen.strokeStyle = palette.rejected;
  pen.setLineDash([]);
  pen.lineWidth = side >= 9 ? 1.6 : 1.2;
  for (const { left, top } of places) {
    const [x, y] = [left + side / 2, top + side / 2];
    pen.beginPath();
    pen.moveTo(x - arm, y - arm);
    pen.lineTo(x + arm, y + arm);
    pen.moveTo(x + arm, y - arm);
    pen.lineTo(x - arm, y + arm);
    pen.stroke();
  }
}

function drawDiamonds({ pen, side, palette }, places) {
  fillCells(pen, palette.chosen, places, side);
  const half = side / 2;
  const reach = half * 0.62;
  pen.fillStyle = palette["on-chosen"];
  for (const { left, top } of places) {
    pen.beginPath();
    pen.moveTo(left + half, top + half - reach);
    pen.lineTo(left + half + reach, top + half);
    pen.lineTo(left + half, top + half + reach);
    pen.lineTo(left + half - reach, top + half);
    pen.fill();
  }
}
