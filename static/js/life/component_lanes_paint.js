/** The drawing of the timeline by component: one row each, a mark per entry, the cursor. */
import { colours, penOf } from "../parts/canvas.js";

const ROW = 11;
const MARK = 8;
export const HEIGHT = 3 * ROW + 2;
const WIDE = 8; // maximal px per entry
const NAMES = ["bar", "rejected", "series-3", "series-2", "chosen", "line"];

/** Return the pixels per entry. */
export const scaleOf = (count, width) => Math.min(WIDE, width / Math.max(1, count));

/** Draw `all` entries; `place`: the selected one, −1 for none; `failed(entry)`: true for a cycle without a node. */
export function paintLanes(canvas, width, { all, place, failed }) {
  const pen = penOf(canvas, width, HEIGHT);
  const tint = colours(NAMES);
  const scale = scaleOf(all.length, width);
  const gap = scale >= 4 ? 1.5 : scale >= 2.5 ? 0.75 : 0;
  pen.fillStyle = tint.line;
  for (const row of [0, 1, 2]) pen.fillRect(0, row * ROW + MARK / 2, width, 1);
  const kinds = [tint.bar, tint["series-3"], tint["series-2"]];
  all.forEach((entry, i) => {
    pen.fillStyle = entry.row === 0 && failed(entry) ? tint.rejected : kinds[entry.row];
    pen.fillRect(i * scale, entry.row * ROW, Math.max(1, scale - gap), MARK);
  });
  if (place < 0) return;
  pen.fillStyle = tint.chosen;
  const x = place * scale + Math.max(1, scale - gap) / 2;
  pen.fillRect(x - 1, 0, 2, HEIGHT);
}
