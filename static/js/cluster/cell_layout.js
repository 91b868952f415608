/** The layout of cells for many nodes: the largest cell with which every group fits below its whole name. Pure. */

const HEAD = 20;
const GAP = 14;
const BIGGEST = 34;
const SMALLEST = 5;
const SHELVES = 40;
const BLOCK = 84; // px of a group's head without a text

/**
 * Lay out `sizes` (nodes per group) in `width` × `height` px: {cell, height, blocks: [{x, y, width, perRow}]}; `heads`:
 * px of each group's name and count. Groups stand on shelves in order. All groups of a shelf have as many rows, and
 * widths in proportion to their nodes. If even the smallest cell does not fit, the result is higher and scrolls.
 */
export function layOutCells(sizes, width, height, heads = sizes.map(() => BLOCK)) {
  const headWidths = heads.map((head) => Math.min(head, width));
  let lowest = null;
  for (let cell = BIGGEST; cell >= SMALLEST; cell -= 1) {
    let best = null;
    for (let count = 1; count <= Math.min(SHELVES, sizes.length); count += 1) {
      const plan = placeShelves(sizes, headWidths, width, cell, count);
      if (plan && (!best || plan.height < best.height)) best = plan;
      // With one row each, so many shelves are already higher than the best plan.
      if (best && count * (HEAD + cell + GAP) > best.height + GAP) break;
    }
    if (best && best.height <= height) return best;
    lowest = best ?? lowest;
  }
  return lowest ?? placeShelves(sizes, headWidths, width, SMALLEST, sizes.length);
}

/** Split the groups into `count` runs with about as many nodes each: [[index]]. */
function splitIntoShelves(sizes, count) {
  const share = sizes.reduce((sum, size) => sum + size, 0) / count;
  const shelves = Array.from({ length: count }, () => []);
  let before = 0;
  sizes.forEach((size, i) => {
    shelves[Math.min(count - 1, Math.floor((before + size / 2) / share))].push(i);
    before += size;
  });
  return shelves.filter((shelf) => shelf.length);
}

function placeShelves(sizes, heads, width, cell, count) {
  const blocks = [];
  let y = 0;
  // Return the columns that a group needs for at most `rows` rows and for its head.
  const columnsFor = (i, rows) =>
    Math.max(Math.min(Math.ceil(heads[i] / cell), Math.floor(width / cell)), Math.ceil(sizes[i] / rows));
  for (const shelf of splitIntoShelves(sizes, count)) {
    const room = Math.floor((width - GAP * (shelf.length - 1)) / cell);
    const columns = (rows) => shelf.reduce((sum, i) => sum + columnsFor(i, rows), 0);
    const most = Math.max(...shelf.map((i) => sizes[i]));
    if (columns(most) > room) return null;
    let low = 1;
    let high = most;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (columns(middle) <= room) high = middle;
      else low = middle + 1;
    }
    let x = 0;
    for (const i of shelf) {
      const perRow = columnsFor(i, low);
      blocks[i] = { x, y, perRow, width: perRow * cell };
      x += perRow * cell + GAP;
    }
    y += HEAD + low * cell + GAP;
  }
  return { cell, height: y - GAP, blocks };
}

/** Return cells in drawing order: [{i, x, y}], px of their upper left corners. */
export function listCells(groups, plan) {
  const cells = [];
  groups.forEach(({ members }, g) => {
    const { x, y, perRow } = plan.blocks[g];
    members.forEach((i, k) => {
      cells.push({ i, x: x + (k % perRow) * plan.cell, y: y + HEAD + Math.floor(k / perRow) * plan.cell });
    });
  });
  return cells;
}

/** Return the node whose cell is at a point, or −1. */
export function nodeAt(groups, plan, x, y) {
  for (let g = groups.length - 1; g >= 0; g -= 1) {
    const block = plan.blocks[g];
    const column = Math.floor((x - block.x) / plan.cell);
    const row = Math.floor((y - block.y - HEAD) / plan.cell);
    if (column < 0 || column >= block.perRow || row < 0) continue;
    const i = groups[g].members[row * block.perRow + column];
    if (i !== undefined) return i;
  }
  return -1;
}
