/** The layout of node cards: groups side by side, cards in even rows, minimal height. Pure. */

const GAP = 8;
const GROUP_HEAD = 28;
const GROUP_GAP = 16;
const MARGIN = 18; // px kept free at the right
const COMPACT = { least: 116, widest: 199 }; // bars without words
const FULL = { least: 200, widest: 380 }; // a line of text beside each bar
const BODY = { compact: 56, full: 60 }; // px of a card without its bars: head, dots, a line of text
const NEARLY = 2.2; // times the available height; up to this, cards scroll rather than get wider
const BAR = { compact: 8, full: 18 };

const cardHeight = (style, bars) => BODY[style] + BAR[style] * Math.max(1, bars);

/** Return the layout with the lowest height: groups side by side, cards per row, height. */
function arrangeCards(sizes, width, least, high) {
  const largest = Math.max(...sizes);
  let best = null;
  for (let columns = 1; columns <= sizes.length; columns += 1) {
    const inner = (width - MARGIN - GROUP_GAP * (columns - 1)) / columns;
    const fits = Math.floor((inner + GAP) / (least + GAP));
    if (fits < 1 && columns > 1) break;
    // Use as many rows as needed and fill them evenly: four cards are 2 + 2, not 3 + 1.
    const perRow = Math.max(1, Math.ceil(largest / Math.ceil(largest / Math.max(1, fits))));
    let height = 0;
    for (let i = 0; i < sizes.length; i += columns) {
      const rows = Math.ceil(Math.max(...sizes.slice(i, i + columns)) / perRow);
      height += GROUP_HEAD + rows * (high + GAP) + GROUP_GAP;
    }
    if (!best || height < best.height) best = { columns, perRow, inner, height };
  }
  return { ...best, height: best.height - GROUP_GAP };
}

/**
 * Return the height in px of the cards in `width` px: with text if that is at most `most`, else without. Infinite
 * without nodes.
 */
export function cardsHeight(sizes, width, bars, most) {
  if (!sizes.length) return Infinity;
  const full = arrangeCards(sizes, width, FULL.least, cardHeight("full", bars)).height;
  return full <= most ? full : arrangeCards(sizes, width, COMPACT.least, cardHeight("compact", bars)).height;
}

/**
 * Lay out cards. `sizes`: nodes per group; `bars`: bars per card. Returns {style: "full" | "compact", fits, height,
 * perRow, card: {width, height}, blocks: [{x, y, width, height}]}. Full cards if all fit, else compact ones if they
 * (nearly) fit, else full ones that scroll.
 */
export function placeCards(sizes, { width, height }, bars) {
  const full = arrangeCards(sizes, width, FULL.least, cardHeight("full", bars));
  const compact = arrangeCards(sizes, width, COMPACT.least, cardHeight("compact", bars));
  const style = full.height > height && compact.height <= height * NEARLY ? "compact" : "full";
  const layout = style === "full" ? full : compact;
  const { widest } = style === "full" ? FULL : COMPACT;
  const card = {
    width: Math.min(widest, Math.floor((layout.inner + GAP) / layout.perRow) - GAP),
    height: cardHeight(style, bars),
  };
  const blocks = [];
  let y = 0;
  for (let i = 0; i < sizes.length; i += layout.columns) {
    const shelf = sizes.slice(i, i + layout.columns);
    const rows = Math.ceil(Math.max(...shelf) / layout.perRow);
    const shelfHeight = GROUP_HEAD + rows * (card.height + GAP);
    for (let k = 0; k < shelf.length; k += 1) {
      blocks.push({ x: k * (layout.inner + GROUP_GAP), y, width: layout.inner, height: shelfHeight });
    }
    y += shelfHeight + GROUP_GAP;
  }
  return { style, fits: layout.height <= height, height: y - GROUP_GAP, perRow: layout.perRow, card, blocks };
}

/** Return the range [first, end) of a group's cards between `from` and `to` px of the content. */
export function cardsBetween(plan, block, size, from, to) {
  const rowHeight = plan.card.height + GAP;
  const rowAt = (px) => Math.floor((px - block.y - GROUP_HEAD) / rowHeight);
  return [Math.max(0, rowAt(from) * plan.perRow), Math.min(size, Math.max(0, (rowAt(to) + 1) * plan.perRow))];
}

export const cardAt = (plan, k) => ({
  x: (k % plan.perRow) * (plan.card.width + GAP),
  y: GROUP_HEAD + Math.floor(k / plan.perRow) * (plan.card.height + GAP),
});

/**
 * Return the nearest index in a direction (ArrowUp …) from `boxes[from]`, also across groups; −1 for none. `boxes`:
 * [{x, y}].
 */
export function findNeighbour(boxes, from, key) {
  const ways = { ArrowLeft: ["x", -1], ArrowRight: ["x", 1], ArrowUp: ["y", -1], ArrowDown: ["y", 1] };
  const [axis, sign] = ways[key];
  const across = axis === "x" ? "y" : "x";
  const here = boxes[from];
  let best = -1;
  let least = Infinity;
  boxes.forEach((box, i) => {
    const ahead = (box[axis] - here[axis]) * sign;
    if (ahead <= 0.5) return;
    // Prefer boxes in line with the direction.
    const far = ahead + Math.abs(box[across] - here[across]) * 3;
    if (far < least) [best, least] = [i, far];
  });
  return best;
}
