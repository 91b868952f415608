/** Where the cells of many nodes go: the biggest cell with which every group fits. Pure. */

export const HEAD = 20;
const GAP = 14;
const BIGGEST = 34;
const SMALLEST = 7;
const SHELVES = 6;
export const BLOCK = 84; // px, the narrowest block that still has room for its label

/**
 * Lay out `sizes` (nodes a group) in `width` × `height` px: {cell, height, blocks: [{x, y, width, perRow}]}.
 * Groups stand on shelves in their order; on one shelf all have as many rows, and are as wide as they have nodes.
 * Where even the smallest cell does not fit, the result is higher than asked and scrolls.
 */
export function layOut(sizes, width, height) {
  let lowest = null;
  for (let cell = BIGGEST; cell >= SMALLEST; cell -= 1) {
    lowest = null;
    for (let count = 1; count <= Math.min(SHELVES, sizes.length); count += 1) {
      const found = place(sizes, width, cell, count);
      if (found && (!lowest || found.height < lowest.height)) lowest = found;
    }
    if (lowest && lowest.height <= height) return lowest;
  }
  return lowest ?? place(sizes, width, SMALLEST, sizes.length);
}

/** Cut the groups into `count` runs of about as many nodes: [[index]]. */
function shelve(sizes, count) {
  const share = sizes.reduce((sum, size) => sum + size, 0) / count;
  const shelves = Array.from({ length: count }, () => []);
  let before = 0;
  sizes.forEach((size, i) => {
    shelves[Math.min(count - 1, Math.floor((before + size / 2) / share))].push(i);
    before += size;
  });
  return shelves.filter((shelf) => shelf.length);
}

/** Columns of cells that a group needs to have at most `rows` rows, and at least room for its label. */
const columnsFor = (size, rows, cell) => Math.max(Math.ceil(BLOCK / cell), Math.ceil(size / rows));

function place(sizes, width, cell, count) {
  const blocks = [];
  let y = 0;
  for (const shelf of shelve(sizes, count)) {
    const room = Math.floor((width - GAP * (shelf.length - 1)) / cell);
    const columns = (rows) => shelf.reduce((sum, i) => sum + columnsFor(sizes[i], rows, cell), 0);
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
      const perRow = columnsFor(sizes[i], low, cell);
      blocks[i] = { x, y, perRow, width: perRow * cell };
      x += perRow * cell + GAP;
    }
    y += HEAD + low * cell + GAP;
  }
  return { cell, height: y - GAP, blocks };
}
