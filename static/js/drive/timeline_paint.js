/** The drawing of the timeline: a tick per cycle, failures taller; branches and breakpoints above; the cursor. */
import { colours, penOf } from "../parts/canvas.js";

export const HEIGHT = 40;
export const TICK = 8; // maximal px per cycle
const TIGHT = 2.5; // px per cycle below which ticks would merge
const LOW = 12;
const TALL = 26;
const STOP = 2.5; // px of a breakpoint's radius
const FAILED = { unschedulable: "rejected", error: "rejected", waiting: "waiting" };

const NAMES = ["bar", "rejected", "waiting", "chosen", "bar-track", "line"];

/** Return the pixels per cycle: wide ticks for few cycles, a share of the width for many. */
export const scaleOf = (count, width) => Math.min(TICK, width / Math.max(1, count));

/** Draw a tick per cycle; one that found no node is taller. */
function drawTicks(pen, { outcome }, scale, gap, tint) {
  outcome.forEach((how, i) => {
    const failed = FAILED[how];
    pen.fillStyle = failed ? tint[failed] : tint.bar;
    pen.fillRect(i * scale, HEIGHT - 7 - (failed ? TALL : LOW), scale - gap, failed ? TALL : LOW);
  });
}

/** Draw the share of failed cycles per pixel column, if there are too many for ticks. */
function drawShares(pen, { outcome }, scale, tint) {
  pen.fillStyle = tint.bar;
  pen.fillRect(0, HEIGHT - 7 - LOW, outcome.length * scale, LOW);
  for (let x = 0; x < outcome.length * scale; x += 1) {
    const from = Math.floor(x / scale);
    const to = Math.max(from + 1, Math.min(outcome.length, Math.floor((x + 1) / scale)));
    let rejected = 0;
    let waiting = 0;
    for (let i = from; i < to; i += 1) {
      if (FAILED[outcome[i]] === "rejected") rejected += 1;
      else if (FAILED[outcome[i]] === "waiting") waiting += 1;
    }
    if (!rejected && !waiting) continue;
    const tall = LOW + (TALL - LOW) * ((rejected + waiting) / (to - from));
    pen.fillStyle = waiting > rejected ? tint.waiting : tint.rejected;
    pen.fillRect(x, HEIGHT - 7 - tall, 1, tall);
  }
}

/** Draw branches: a flag at the top of the cycle after which they diverge. */
function drawForks(pen, forks, first, scale, tint) {
  pen.fillStyle = tint.waiting;
  for (const cycle of forks) {
    const x = Math.max(0, (cycle - first + 1) * scale - 1);
    pen.fillRect(x, 2, 1, HEIGHT - 9);
    pen.beginPath();
    pen.moveTo(x, 2);
    pen.lineTo(x + 6, 5);
    pen.lineTo(x, 8);
    pen.fill();
  }
}

/** Draw breakpoints at the top: a disc where one stopped a run, a ring at an attempt of a watched pod. */
function drawBreakpoints(pen, { marked, history }, scale, gap, tint) {
  pen.fillStyle = tint.rejected;
  pen.strokeStyle = tint.rejected;
  pen.lineWidth = 1.25;
  for (const cycle of marked) {
    const x = (cycle - history.first) * scale + Math.max(1, scale - gap) / 2;
    pen.beginPath();
    pen.arc(Math.max(STOP + 1, x), STOP + 1, STOP, 0, 2 * Math.PI);
    if (history.stopped.has(cycle)) pen.fill();
    else pen.stroke();
  }
}

/** Draw the whole line: ticks or shares, branches, breakpoints, and the cursor at `cursorIndex`, −1 for none. */
export function paintTimeline(canvas, width, history, cursorIndex, forks, marked) {
  const pen = penOf(canvas, width, HEIGHT);
  const tint = colours(NAMES);
  const count = history.outcome.length;
  const scale = scaleOf(count, width);
  const gap = scale >= 4 ? 1.5 : scale >= TIGHT ? 0.75 : 0;
  pen.fillStyle = tint.line;
  pen.fillRect(0, HEIGHT - 6, width, 1);
  if (scale >= TIGHT) drawTicks(pen, history, scale, gap, tint);
  else drawShares(pen, history, scale, tint);
  drawForks(pen, forks, history.first, scale, tint);
  drawBreakpoints(pen, { marked, history }, scale, gap, tint);
  if (cursorIndex < 0) return;
  const x = cursorIndex * scale;
  pen.fillStyle = tint.chosen;
  pen.fillRect(x, 2, Math.max(2, scale - gap), HEIGHT - 9);
  // A foot under the tick, so that its shape marks the cursor too.
  const middle = x + Math.max(2, scale - gap) / 2;
  pen.beginPath();
  pen.moveTo(middle - 4, HEIGHT);
  pen.lineTo(middle, HEIGHT - 5);
  pen.lineTo(middle + 4, HEIGHT);
  pen.fill();
}
