/** Paints the cells. Shapes carry the verdict, not only colour: ◆ chosen, ✕ rejected, frame feasible, hatch not evaluated. */

const NAMES = ["page", "bar", "bar-track", "hatch", "chosen", "on-chosen", "rejected", "rejected-wash", "passed", "unseen", "line-strong"];
const HATCHED = 4; // px between two hatch lines

/** The theme's colours as a canvas needs them. */
export function readPalette() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
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

/**
 * `cells`: [{i, x, y}] in px; `levels`: 0…1 a node; `states`: verdict a node; `palette`: of readPalette.
 * 5,000 cells take a few milliseconds, so that scrubbing redraws all of it each frame.
 */
export function paint(canvas, { cells, cell, width, height, levels, states, palette }) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const side = cell - (cell >= 12 ? 3 : cell >= 9 ? 2 : 1);
  const pattern = hatch(context, palette.unseen, ratio);
  const arm = Math.max(1.5, side * 0.26);
  for (const { i, x, y } of cells) {
    const state = states[i];
    const left = Math.round(x);
    const top = Math.round(y);
    const level = Math.round(side * Math.min(1, levels[i]));
    if (state === "unseen") {
      context.fillStyle = palette["bar-track"];
      context.fillRect(left, top + side - level, side, level);
      context.fillStyle = pattern;
      context.fillRect(left, top, side, side);
      continue;
    }
    const bad = state === "rejected" || state === "error";
    context.fillStyle = bad ? palette["rejected-wash"] : palette["bar-track"];
    context.fillRect(left, top, side, side);
    if (!bad) {
      context.fillStyle = palette.bar;
      context.fillRect(left, top + side - level, side, level);
    }
    if (bad) cross(context, left + side / 2, top + side / 2, arm, palette.rejected, side);
    else if (state === "pass" || state === "candidate") {
      context.strokeStyle = palette.passed;
      context.lineWidth = 1;
      context.setLineDash(state === "candidate" ? [2, 1.5] : []);
      context.strokeRect(left + 0.5, top + 0.5, side - 1, side - 1);
    } else if (state === "chosen") diamond(context, left, top, side, palette);
  }
  context.setLineDash([]);
}

function cross(context, x, y, arm, colour, side) {
  context.strokeStyle = colour;
  context.setLineDash([]);
  context.lineWidth = side >= 9 ? 1.6 : 1.2;
  context.beginPath();
  context.moveTo(x - arm, y - arm);
  context.lineTo(x + arm, y + arm);
  context.moveTo(x + arm, y - arm);
  context.lineTo(x - arm, y + arm);
  context.stroke();
}

function diamond(context, left, top, side, palette) {
  context.fillStyle = palette.chosen;
  context.fillRect(left, top, side, side);
  const half = side / 2;
  const reach = half * 0.62;
  context.fillStyle = palette["on-chosen"];
  context.beginPath();
  context.moveTo(left + half, top + half - reach);
  context.lineTo(left + half + reach, top + half);
  context.lineTo(left + half, top + half + reach);
  context.lineTo(left + half - reach, top + half);
  context.fill();
}
