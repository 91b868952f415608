/** The timeline: one tick per cycle, failures taller and marked; drag, click or arrow keys move through it. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { refusal } from "../access/allowed.js";
import { branches } from "../branches/branches.js";
import { breakpointText, breakpoints } from "./breakpoints.js";
import { cycleBack, cycleForward, goToEnd, goToStart } from "./run.js";
import { formatClock, podName } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { theme } from "../base/preferences.js";
import { lastCycle, store } from "../base/store.js";
import { outcomeWord } from "../cycle/cycle_texts.js";
import { useSize } from "../parts/canvas.js";
import { outcomeMark } from "../parts/outcome.js";
import { HEIGHT, TICK, paintTimeline, scaleOf } from "./timeline_paint.js";
import { goToCycle } from "../cycle/playback.js";

/** Return the cycles with breakpoints: where one stopped a run, and each attempt of a watched pod. */
function cyclesWithBreakpoints(history, breakpointList) {
  const pods = new Set(breakpointList.filter((one) => one.kind === "pod").map((one) => one.pod));
  const met = pods.size ? history.pod.flatMap((pod, index) => (pods.has(pod) ? [history.first + index] : [])) : [];
  return new Set([...history.stopped.keys(), ...met]);
}

function marksText(history, forks, marked, cycle) {
  const breakpoint = history.stopped.get(cycle);
  const stopped = breakpoint
    ? [fill(_("a run stopped here: {what}"), { what: breakpointText(breakpoint) })]
    : marked.has(cycle)
      ? [_("breakpoint on this Pod")]
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
  const cursorIndex = count ? cursor.cycle - history.first : -1;
  const scale = scaleOf(count, width);
  const id = store.cluster.value?.id;
  const tree = branches.value;
  const breakpointList = breakpoints.value;
  const marked = useMemo(() => cyclesWithBreakpoints(history, breakpointList), [history, breakpointList]);
  const forks = useMemo(
    () => tree.filter((branch) => branch.parent === id && branch.fork).map((branch) => branch.fork.cycle),
    [tree, id],
  );

  useEffect(() => {
    if (width) paintTimeline(canvas.current, width, history, cursorIndex, forks, marked);
  }, [width, history, cursorIndex, colour, forks, marked]);

  const refused = refusal("cycle-back");
  const indexAt = (event) => {
    const x = event.clientX - canvas.current.getBoundingClientRect().left;
    const i = Math.floor(x / scale);
    return count && i >= 0 ? Math.min(count - 1, i) : -1;
  };
  const move = (event) => {
    const i = indexAt(event);
    const inside = i >= 0 && event.clientX - canvas.current.getBoundingClientRect().left <= count * scale + TICK;
    setTip(inside ? { i, x: event.clientX } : null);
    if (event.buttons === 1 && !refused && i >= 0 && i !== cursorIndex) goToCycle(history.first + i);
  };
  const down = (event) => {
    const i = indexAt(event);
    if (i < 0 || refused) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    goToCycle(history.first + i);
  };
  const handleKey = (event) => {
    const actions = {
      ArrowLeft: cycleBack,
      ArrowDown: cycleBack,
      // The slider moves within the recording; only ] and the button request a new cycle.
      ArrowRight: () => cursorIndex < count - 1 && cycleForward(),
      ArrowUp: () => cursorIndex < count - 1 && cycleForward(),
      PageUp: () => goToCycle(Math.min(lastCycle.peek(), cursor.cycle + 10)),
      PageDown: () => goToCycle(Math.max(history.first, cursor.cycle - 10)),
      Home: goToStart,
      End: goToEnd,
    };
    if (!count || refused || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  };
  const about = (index) => marksText(history, forks, marked, history.first + index);
  const text =
    cursorIndex >= 0 && cursorIndex < count
      ? [
          fill(_("cycle {n} of {last}"), { n: formatNumber(cursor.cycle), last: formatNumber(lastCycle.value) }),
          history.pod[cursorIndex],
          outcomeWord(history.outcome[cursorIndex]),
          ...about(cursorIndex),
        ].join(", ")
      : _("no cycle yet");
  return html`<div class="timeline" ref=${box} role="slider" tabindex="0" aria-label=${_("Timeline")}
    aria-disabled=${refused ? "true" : undefined} title=${refused || undefined}
    aria-valuemin=${count ? history.first : 0}
    aria-valuemax=${Math.max(0, lastCycle.value)} aria-valuenow=${count ? cursor.cycle : 0} aria-valuetext=${text}
    onPointerDown=${down} onPointerMove=${move} onPointerLeave=${() => setTip(null)} onKeyDown=${handleKey}
  >
    <canvas ref=${canvas} style=${{ width: "100%", height: `${HEIGHT}px` }} aria-hidden="true" />
    ${
      tip &&
      tip.i < count &&
      html`<div class="tip above" aria-hidden="true"
        style=${{ left: `${Math.max(8, Math.min(tip.x - 80, innerWidth - 268))}px`, bottom: "68px" }}
      >
        <p class="row">
          <b>${fill(_("cycle {n}"), { n: formatNumber(history.first + tip.i) })}</b> <span class="quiet mono">
            ${formatClock(history.t[tip.i])}
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
