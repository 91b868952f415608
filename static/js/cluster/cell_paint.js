/**
 * Paints the cells. Shapes carry the verdict, not only colour: ◆ chosen, ✕ rejected, frame feasible, hatch not
 * evaluated.
 */

// What heat-0 to heat-4 are by much or little, these are by whose.
const OWNERS = Array.from({ length: 8 }, (_unused, i) => `heat-${5 + i}`);
const NAMES = [
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
const TINY = 7; // px of a cell below which a shape is a filled square

const palettes = new Map();

/** A theme's colours as a canvas needs them; read once, as to read them works out the page's styles. */
export function readPalette() {
  const { theme } = document.documentElement.dataset;
  if (!palettes.has(theme)) {
    const style = getComputedStyle(document.documentElement);
    palettes.set(theme, Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])));
  }
  return palettes.get(theme);
}

function hatch(context, colour, ratio) {
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

// What each canvas shows: a cell that would be painted the same is left alone.
const shown = new WeakMap();
const STATES = ["idle", "candidate", "pass", "rejected", "error", "chosen", "unseen"];

/** A clean canvas of this size; kept as it is while size, cells, theme and kind of colours stay the same. */
function prepare(canvas, { cells, cell, width, height, step, palette }, ratio) {
  const before = shown.get(canvas);
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
    brush: { pen, side, palette, hatched: hatch(pen, palette.unseen, ratio) },
    keys: new Int32Array(cells.length).fill(-1),
  };
  shown.set(canvas, fresh);
  return fresh;
}

/**
 * `cells`: [{i, x, y}] in px; `state(i)`: verdict; `level(i)`: 0…1, how full; `step(i)` instead of both where the
 * colours are no verdict: 0…4, or 5…12 by owner, or null. Only the cells that changed are painted, so that scrubbing
 * over 5,000 nodes takes a few milliseconds.
 */
export function paint(canvas, plan) {
  const { cells, cell, state, level, step } = plan;
  const { brush, keys } = prepare(canvas, plan, window.devicePixelRatio || 1);
  const { pen, side } = brush;
  cells.forEach(({ i, x, y }, k) => {
    const verdict = state(i);
    const rank = step ? step(i) : Math.round(side * Math.min(1, level(i) ?? 0));
    const key = STATES.indexOf(verdict) * 64 + (rank ?? 63);
    if (keys[k] === key) return;
    const at = { left: Math.round(x), top: Math.round(y) };
    if (keys[k] >= 0) pen.clearRect(at.left, at.top, Math.min(side + 1, cell), Math.min(side + 1, cell));
    keys[k] = key;
    if (step) heatCell(brush, at, rank, verdict);
    else verdictCell(brush, at, verdict, rank);
  });
  pen.setLineDash([]);
}

function verdictCell(brush, { left, top }, state, level) {
  const { pen, side, palette, hatched } = brush;
  const bad = state === "rejected" || state === "error";
  if (bad && side < TINY) return fill(pen, palette.rejected, left, top, side, side);
  if (state === "chosen") return diamond(brush, left, top);
  fill(pen, bad ? palette["rejected-wash"] : palette["bar-track"], left, top, side, side);
  if (!bad) fill(pen, palette.bar, left, top + side - level, side, level);
  if (state === "unseen") fill(pen, hatched, left, top, side, side);
  if (bad) cross(brush, left + side / 2, top + side / 2);
  if (state !== "pass" && state !== "candidate") return undefined;
  pen.strokeStyle = palette.passed;
  pen.lineWidth = 1;
  pen.setLineDash(state === "candidate" ? [2, 1.5] : []);
  pen.strokeRect(left + 0.5, top + 0.5, side - 1, side - 1);
  return undefined;
}

function heatCell({ pen, side, palette, hatched }, { left, top }, step, state) {
  fill(pen, step === null ? palette["bar-track"] : palette[`heat-${step}`], left, top, side, side);
  if (step === null) fill(pen, hatched, left, top, side, side);
  if (state !== "error") return;
  pen.strokeStyle = palette.rejected;
  pen.lineWidth = 1.5;
  pen.strokeRect(left + 0.75, top + 0.75, side - 1.5, side - 1.5);
}

function fill(pen, colour, left, top, width, height) {
  pen.fillStyle = colour;
  pen.fillRect(left, top, width, height);
}

function cross({ pen, side, palette }, x, y) {
  const arm = Math.max(1.5, side * 0.26);
  pen.strokeStyle = palette.rejected;
  pen.setLineDash([]);
  pen.lineWidth = side >= 9 ? 1.6 : 1.2;
  pen.beginPath();
  pen.moveTo(x - arm, y - arm);
  pen.lineTo(x + arm, y + arm);
  pen.moveTo(x + arm, y - arm);
  pen.lineTo(x - arm, y + arm);
  pen.stroke();
}

function diamond({ pen, side, palette }, left, top) {
  fill(pen, palette.chosen, left, top, side, side);
  const half = side / 2;
  const reach = half * 0.62;
  pen.fillStyle = palette["on-chosen"];
  pen.beginPath();
  pen.moveTo(left + half, top + half - reach);
  pen.lineTo(left + half + reach, top + half);
  pen.lineTo(left + half, top + half + reach);
  pen.lineTo(left + half - reach, top + half);
  pen.fill();
}
