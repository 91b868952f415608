/** The timeline by component: scheduler, controllers, nodes; drag, click or arrow keys move through it. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { formatClock, podName } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { theme } from "../base/preferences.js";
import { store } from "../base/store.js";
import { outcomeWord } from "../cycle/cycle_texts.js";
import { useSize } from "../parts/canvas.js";
import { refusal } from "../access/allowed.js";
import { HEIGHT, paintLanes, scaleOf } from "./component_lanes_paint.js";
import { controllersSeen, selectedIndex, entries, goToRecord, isCut, shownController } from "./controller_steps.js";

const PAGE = 10; // entries per page key

/** The line about an entry; hover shows all of it. */
function EntryText({ entry }) {
  if (!entry) return html`<p class="lane-entry cut quiet">${_("nothing has happened yet")}</p>`;
  const { first, pod, outcome } = store.history.value;
  const i = entry.cycle - first;
  const source = entry.step ? entry.step.actor : _("scheduler");
  const text = entry.step
    ? entry.step.reason
    : `${fill(_("cycle {n}"), { n: formatNumber(entry.cycle) })}: ${podName(pod[i])}, ${outcomeWord(outcome[i])}`;
  return html`<p class="lane-entry cut" title=${`${source}: ${text}`}>
    <span class="mono quiet">${formatClock(entry.t)}</span> <b>${source}</b> <span>${text}</span>
  </p>`;
}

function ControllerChoice() {
  if (controllersSeen.value.length < 2) return null;
  return html`<select class="small" aria-label=${_("Controller")} title=${_("Controller")}
    value=${shownController.value}
    onChange=${(event) => (shownController.value = event.currentTarget.value)}
  >
    <option value="">${_("all controllers")}</option>
    ${controllersSeen.value.map((actor) => html`<option key=${actor} value=${actor}>${actor}</option>`)}
  </select>`;
}

export function Lanes({ children }) {
  const box = useRef(null);
  const { width } = useSize(box);
  const canvas = useRef(null);
  const [under, setUnder] = useState(-1);
  const all = entries.value;
  const place = selectedIndex.value;
  const colour = theme();
  const outcomes = store.history.value.outcome;
  const scale = scaleOf(all.length, width);
  useEffect(() => {
    const { first } = store.history.peek();
    const failed = (entry) => !entry.step && ["unschedulable", "error"].includes(outcomes[entry.cycle - first]);
    if (width) paintLanes(canvas.current, width, { all, place, failed });
  }, [width, all, place, colour, outcomes]);

  const refused = refusal("cycle-back");
  const indexAt = (event) => {
    const i = Math.floor((event.clientX - canvas.current.getBoundingClientRect().left) / scale);
    return all.length && i >= 0 ? Math.min(all.length - 1, i) : -1;
  };
  const goToEntry = (i) => !refused && i >= 0 && i < all.length && i !== place && goToRecord(all[i].seq);
  const down = (event) => {
    if (refused) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    goToEntry(indexAt(event));
  };
  const move = (event) => {
    setUnder(indexAt(event));
    if (event.buttons === 1) goToEntry(indexAt(event));
  };
  const handleKey = (event) => {
    // With one controller selected, the keys move between its steps.
    const next = (by) => {
      let i = place + by;
      while (shownController.peek() && all[i] && !all[i].step) i += by;
      return i;
    };
    const places = {
      ArrowLeft: next(-1),
      ArrowDown: next(-1),
      ArrowRight: next(1),
      ArrowUp: next(1),
      PageUp: Math.min(all.length - 1, place + PAGE),
      PageDown: Math.max(0, place - PAGE),
      Home: 0,
      End: all.length - 1,
    };
    if (!(event.key in places) || refused) return;
    event.preventDefault();
    goToEntry(places[event.key]);
  };
  const entry = all[place];
  const text = useMemo(() => (entry?.step ? `${entry.step.actor}: ${entry.step.reason}` : ""), [entry]);
  const shown = under >= 0 ? all[under] : entry;
  return html`<div class="lanes">
    <p class="lane-names" aria-hidden="true">
      <span>${_("scheduler")}</span><span>${_("controllers")}</span><span>${_("nodes")}</span>
    </p>
    <div class="lane-marks" ref=${box} role="slider" tabindex="0" aria-label=${_("Component activity")}
      title=${
        refused ||
        (isCut.value ? _("Only the newest controller steps are shown. The trace contains all of them.") : undefined)
      }
      aria-disabled=${refused ? "true" : undefined} aria-valuemin="0" aria-valuemax=${Math.max(0, all.length - 1)}
      aria-valuenow=${Math.max(0, place)}
      aria-valuetext=${
        entry ? `${formatClock(entry.t)} ${text || fill(_("cycle {n}"), { n: formatNumber(entry.cycle) })}` : ""
      }
      onPointerDown=${down} onPointerMove=${move} onPointerLeave=${() => setUnder(-1)} onKeyDown=${handleKey}
    >
      <canvas ref=${canvas} style=${{ width: "100%", height: `${HEIGHT}px` }} aria-hidden="true" />
    </div>
    <${EntryText} entry=${shown} />
    <div class="row"><${ControllerChoice} />${children}</div>
  </div>`;
}
