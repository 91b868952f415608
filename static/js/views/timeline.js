/** The timeline: one tick a cycle, failures taller and marked; drag, click or arrow keys move through it. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { branches } from "../actions/branches.js";
import { goToCycle, cycleBack, cycleForward, toEnd, toStart } from "../actions/run.js";
import { clock, podName } from "../format.js";
import { _, fill, number } from "../i18n.js";
import { theme } from "../preferences.js";
import { lastCycle, store } from "../store.js";
import { outcomeWord } from "../words.js";
import { outcomeMark } from "./pod_detail.js";

const HEIGHT = 40;
const TICK = 8; // px a cycle takes where there is room
const TIGHT = 2.5; // px a cycle below which ticks would run together
const LOW = 12;
const TALL = 26;
const FAILED = { unschedulable: "rejected", error: "rejected", waiting: "waiting" };

const tints = new Map();

/** The theme's colours, read once: to read them works out the page's styles. */
function colours() {
  const { theme: shown } = document.documentElement.dataset;
  if (!tints.has(shown)) {
    const style = getComputedStyle(document.documentElement);
    tints.set(shown, Object.fromEntries(["bar", "rejected", "waiting", "chosen", "bar-track", "line"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()])));
  }
  return tints.get(shown);
}

/** Pixels a cycle: wide ticks for few cycles, a share of the width for many. */
const scaleOf = (count, width) => Math.min(TICK, width / Math.max(1, count));

/** A tick a cycle; one that found no node is taller. */
function ticks(pen, { outcome }, scale, gap, tint) {
  outcome.forEach((how, i) => {
    const failed = FAILED[how];
    pen.fillStyle = failed ? tint[failed] : tint.bar;
    pen.fillRect(i * scale, HEIGHT - 7 - (failed ? TALL : LOW), scale - gap, failed ? TALL : LOW);
  });
}

/** Too many cycles for ticks: each pixel column says how large a share of its cycles found no node. */
function shares(pen, { outcome }, scale, tint) {
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

/** Where branches leave: a small flag at the top of the cycle after which they go their own way. */
function flags(pen, forks, first, scale, tint) {
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

function paint(canvas, width, history, at, forks) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = HEIGHT * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const tint = colours();
  const count = history.outcome.length;
  const scale = scaleOf(count, width);
  const gap = scale >= 4 ? 1.5 : scale >= TIGHT ? 0.75 : 0;
  pen.fillStyle = tint.line;
  pen.fillRect(0, HEIGHT - 6, width, 1);
  if (scale >= TIGHT) ticks(pen, history, scale, gap, tint);
  else shares(pen, history, scale, tint);
  flags(pen, forks, history.first, scale, tint);
  if (at < 0) return;
  const x = at * scale;
  pen.fillStyle = tint.chosen;
  pen.fillRect(x, 2, Math.max(2, scale - gap), HEIGHT - 9);
  // A foot under the tick, so that the cursor is found by shape too.
  const middle = x + Math.max(2, scale - gap) / 2;
  pen.beginPath();
  pen.moveTo(middle - 4, HEIGHT);
  pen.lineTo(middle, HEIGHT - 5);
  pen.lineTo(middle + 4, HEIGHT);
  pen.fill();
}

export function Timeline() {
  const box = useRef(null);
  const canvas = useRef(null);
  const [width, setWidth] = useState(0);
  const [tip, setTip] = useState(null);
  const history = store.history.value;
  const cursor = store.cursor.value;
  const colour = theme();
  const count = history.pod.length;
  const at = count ? cursor.cycle - history.first : -1;
  const scale = scaleOf(count, width);
  const id = store.cluster.value?.id;
  const tree = branches.value;
  const forks = useMemo(() => tree.filter((branch) => branch.parent === id && branch.fork).map((branch) => branch.fork.cycle), [tree, id]);

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width) paint(canvas.current, width, history, at, forks);
  }, [width, history, at, colour, forks]);

  const indexAt = (event) => {
    const x = event.clientX - canvas.current.getBoundingClientRect().left;
    const i = Math.floor(x / scale);
    return count && i >= 0 ? Math.min(count - 1, i) : -1;
  };
  const move = (event) => {
    const i = indexAt(event);
    const inside = i >= 0 && event.clientX - canvas.current.getBoundingClientRect().left <= count * scale + TICK;
    setTip(inside ? { i, x: event.clientX } : null);
    if (event.buttons === 1 && i >= 0 && i !== at) goToCycle(history.first + i);
  };
  const down = (event) => {
    const i = indexAt(event);
    if (i < 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    goToCycle(history.first + i);
  };
  const key = (event) => {
    const actions = {
      ArrowLeft: cycleBack,
      ArrowDown: cycleBack,
      // The slider moves within what is recorded; only ] and the button ask for a new cycle.
      ArrowRight: () => at < count - 1 && cycleForward(),
      ArrowUp: () => at < count - 1 && cycleForward(),
      PageUp: () => goToCycle(Math.min(lastCycle.peek(), cursor.cycle + 10)),
      PageDown: () => goToCycle(Math.max(history.first, cursor.cycle - 10)),
      Home: toStart,
      End: toEnd,
    };
    if (!count || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  };
  const text = at >= 0 && at < count ? `${fill(_("cycle {n} of {last}"), { n: number(cursor.cycle), last: number(lastCycle.value) })}, ${history.pod[at]}, ${outcomeWord(history.outcome[at])}` : _("no cycle yet");
  return html`<div class="timeline" ref=${box} role="slider" tabindex="0" data-keys aria-label=${_("Timeline")} aria-valuemin=${count ? history.first : 0} aria-valuemax=${Math.max(0, lastCycle.value)}
    aria-valuenow=${count ? cursor.cycle : 0} aria-valuetext=${text} onPointerDown=${down} onPointerMove=${move} onPointerLeave=${() => setTip(null)} onKeyDown=${key}>
    <canvas ref=${canvas} style=${{ width: "100%", height: `${HEIGHT}px` }} aria-hidden="true" />
    ${tip && tip.i < count && html`<div class="tip above" aria-hidden="true" style=${{ left: `${Math.max(8, Math.min(tip.x - 80, innerWidth - 268))}px`, bottom: "68px" }}>
      <p class="row"><b>${fill(_("cycle {n}"), { n: number(history.first + tip.i) })}</b> <span class="quiet mono">${clock(history.t[tip.i])}</span></p>
      <p class="row">${outcomeMark(history.outcome[tip.i])} <span class="mono cut">${podName(history.pod[tip.i])}</span></p>
      <p class="quiet">${history.node[tip.i] ?? outcomeWord(history.outcome[tip.i])}</p>
    </div>`}
  </div>`;
}
