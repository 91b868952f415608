/** A small picture of a moment: one square per node, filled by use, with the mark of its verdict. */
import { html } from "../../vendor/preact.js";

const SIZE = { width: 96, height: 64 };
const GAP = 2;
const MOST = 28; // px of a square
const MARKED = 11; // px that a square needs for a mark
const STATES = { c: "chosen", f: "feasible", r: "rejected", n: "unseen" };
const MARKS = {
  c: "M0-3.6 3.6 0 0 3.6-3.6 0z",
  f: "M-3 .2-.8 2.4 3-2.2",
  r: "M-2.6-2.6 2.6 2.6M2.6-2.6-2.6 2.6",
  n: "",
};

/** Return the largest squares that fit, preferably side by side: {columns, side}. */
function grid(count) {
  let best = { columns: 1, side: 0 };
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const side = Math.min((SIZE.width + GAP) / columns, (SIZE.height + GAP) / rows, MOST + GAP) - GAP;
    if (side >= best.side) best = { columns, side };
  }
  return best;
}

export function MomentPicture({ states, used }) {
  const { columns, side } = grid(states.length);
  const step = side + GAP;
  return html`<svg class="moment-picture" viewBox=${`0 0 ${SIZE.width} ${SIZE.height}`} width=${SIZE.width}
    height=${SIZE.height} aria-hidden="true"
  >
    ${[...states].map((state, i) => {
      const level = (side * used[i]) / 100;
      return html`<g key=${i} class=${STATES[state]}
        transform=${`translate(${(i % columns) * step} ${Math.floor(i / columns) * step})`}
      >
        <rect class="track" width=${side} height=${side} />
        <rect class="level" y=${side - level} width=${side} height=${level} />
        <rect class="edge" x="0.5" y="0.5" width=${side - 1} height=${side - 1} />
        ${
          side >= MARKED &&
          html`<path class="mark-of" transform=${`translate(${side / 2} ${side / 2}) scale(${side / 16})`}
            d=${MARKS[state]}
          />`
        }
      </g>`;
    })}
  </svg>`;
}
