/** The timeline: one tick per cycle, failures taller and marked; drag, click or arrow keys move through it. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { refusal } from "../access/allowed.js";
import { branches } from "../branches/branches.js";
import { breakpointText, breakpoints } from "./breakpoints.js";
import { cycleBack, cycleForward, toEnd, toStart } from "./run.js";
import { clock, podName } from "../base/format.js";
import { _, fill, number } from "../base/i18n.js";
import { theme } from "../base/preferences.js";
import { lastCycle, store } from "../base/store.js";
import { outcomeWord } from "../cycle/words.js";
import { useSize } from "../parts/canvas.js";
import { outcomeMark } from "../parts/outcome.js";
import { HEIGHT, TICK, paint, scaleOf } from "./timeline_paint.js";
import { goToCycle } from "../cycle/walk.js";

/** Return the cycles with breakpoints: where one stopped a run, and each attempt of a watched pod. */
function markedBy(history, wanted) {
  const pods = new Set(wanted.filter((one) => one.kind === "pod").map((one) => one.pod));
  const met = pods.size ? history.pod.flatMap((pod, index) => (pods.has(pod) ? [history.first + index] : [])) : [];
  return new Set([...history.stopped.keys(), ...met]);
}

/** Return the meaning of the marks over a cycle in words. */
function marksText(history, forks, marked, cycle) {
  const by = history.stopped.get(cycle);
  const stopped = by
    ? [fill(_("a run stopped here: {what}"), { what: breakpointText(by) })]
    : marked.has(cycle)
      ? [_("a breakpoint waits for this pod")]
      : [];
  return forks.includes(cycle) ? [...stopped, _("a branch leaves after this cycle")] : stopped;
}

export function Timeline() {
  const box = useRef(null);
  const { width } = useSize(box);
  const canvas = useRef(null);
  const [tip, setTip] = useState(null);
  const history = store.history.value;
  const cursor = store.cursor.value;
  const colour = theme();
  const count = history.pod.length;
  const at = count ? cursor.cycle - history.first : -1;
  const scale = scaleOf(count, width);
  const id = store.cluster.value?.id;
  const tree = branches.value;
  const wanted = breakpoints.value;
  const marked = useMemo(() => markedBy(history, wanted), [history, wanted]);
  const forks = useMemo(
    () => tree.filter((branch) => branch.parent === id && branch.fork).map((branch) => branch.fork.cycle),
    [tree, id],
  );

  useEffect(() => {
    if (width) paint(canvas.current, width, history, at, forks, marked);
  }, [width, history, at, colour, forks, marked]);

  const held = refusal("cycle-back");
  const indexAt = (event) => {
    const x = event.clientX - canvas.current.getBoundingClientRect().left;
    const i = Math.floor(x / scale);
    return count && i >= 0 ? Math.min(count - 1, i) : -1;
  };
  const move = (event) => {
    const i = indexAt(event);
    const inside = i >= 0 && event.clientX - canvas.current.getBoundingClientRect().left <= count * scale + TICK;
    setTip(inside ? { i, x: event.clientX } : null);
    if (event.buttons === 1 && !held && i >= 0 && i !== at) goToCycle(history.first + i);
  };
  const down = (event) => {
    const i = indexAt(event);
    if (i < 0 || held) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    goToCycle(history.first + i);
  };
  const key = (event) => {
    const actions = {
      ArrowLeft: cycleBack,
      ArrowDown: cycleBack,
      // The slider moves within the recording; only ] and the button request a new cycle.
      ArrowRight: () => at < count - 1 && cycleForward(),
      ArrowUp: () => at < count - 1 && cycleForward(),
      PageUp: () => goToCycle(Math.min(lastCycle.peek(), cursor.cycle + 10)),
      PageDown: () => goToCycle(Math.max(history.first, cursor.cycle - 10)),
      Home: toStart,
      End: toEnd,
    };
    if (!count || held || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  };
  const about = (index) => marksText(history, forks, marked, history.first + index);
  const text =
    at >= 0 && at < count
      ? [
          fill(_("cycle {n} of {last}"), { n: number(cursor.cycle), last: number(lastCycle.value) }),
          history.pod[at],
          outcomeWord(history.outcome[at]),
          ...about(at),
        ].join(", ")
      : _("no cycle yet");
  return html`<div class="timeline" ref=${box} role="slider" tabindex="0" aria-label=${_("Timeline")}
    aria-disabled=${held ? "true" : undefined} title=${held || undefined} aria-valuemin=${count ? history.first : 0}
    aria-valuemax=${Math.max(0, lastCycle.value)} aria-valuenow=${count ? cursor.cycle : 0} aria-valuetext=${text}
    onPointerDown=${down} onPointerMove=${move} onPointerLeave=${() => setTip(null)} onKeyDown=${key}
  >
    <canvas ref=${canvas} style=${{ width: "100%", height: `${HEIGHT}px` }} aria-hidden="true" />
    ${
      tip &&
      tip.i < count &&
      html`<div class="tip above" aria-hidden="true"
        style=${{ left: `${Math.max(8, Math.min(tip.x - 80, innerWidth - 268))}px`, bottom: "68px" }}
      >
        <p class="row">
          <b>${fill(_("cycle {n}"), { n: number(history.first + tip.i) })}</b> <span class="quiet mono">
            ${clock(history.t[tip.i])}
          </span>
        </p>
        <p class="row">
          ${outcomeMark(history.outcome[tip.i])} <span class="mono cut">${podName(history.pod[tip.i])}</span>
        </p>
        <p class="quiet">${history.node[tip.i] ?? outcomeWord(history.outcome[tip.i])}</p>
        ${about(tip.i).map((line) => html`<p key=${line} class="quiet">${line}</p>`)}
      </div>`
    }
  </div>`;
}
