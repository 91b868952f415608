/** The timeline by component: scheduler, controllers, nodes; drag, click or arrow keys move through it. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { clock, podName } from "../base/format.js";
import { _, fill, number } from "../base/i18n.js";
import { theme } from "../base/preferences.js";
import { store } from "../base/store.js";
import { outcomeWord } from "../cycle/words.js";
import { useSize } from "../parts/canvas.js";
import { refusal } from "../access/allowed.js";
import { HEIGHT, paintLanes, scaleOf } from "./lanes_paint.js";
import { actorsSeen, at, entries, goTo, isCut, onlyActor } from "./steps.js";

const PAGE = 10; // entries per page key

/** The line about an entry; hover shows all of it. */
function EntryText({ entry }) {
  if (!entry) return html`<p class="lane-entry cut quiet">${_("nothing has happened yet")}</p>`;
  const { first, pod, outcome } = store.history.value;
  const i = entry.cycle - first;
  const who = entry.step ? entry.step.actor : _("scheduler");
  const what = entry.step
    ? entry.step.reason
    : `${fill(_("cycle {n}"), { n: number(entry.cycle) })}: ${podName(pod[i])}, ${outcomeWord(outcome[i])}`;
  return html`<p class="lane-entry cut" title=${`${who}: ${what}`}>
    <span class="mono quiet">${clock(entry.t)}</span> <b>${who}</b> <span>${what}</span>
  </p>`;
}

function WhichActor() {
  if (actorsSeen.value.length < 2) return null;
  return html`<select class="small" aria-label=${_("Whose steps")} title=${_("Whose steps")} value=${onlyActor.value}
    onChange=${(event) => (onlyActor.value = event.currentTarget.value)}
  >
    <option value="">${_("all controllers")}</option>
    ${actorsSeen.value.map((actor) => html`<option key=${actor} value=${actor}>${actor}</option>`)}
  </select>`;
}

export function Lanes({ children }) {
  const box = useRef(null);
  const { width } = useSize(box);
  const canvas = useRef(null);
  const [under, setUnder] = useState(-1);
  const all = entries.value;
  const place = at.value;
  const colour = theme();
  const outcomes = store.history.value.outcome;
  const scale = scaleOf(all.length, width);
  useEffect(() => {
    const { first } = store.history.peek();
    const failed = (entry) => !entry.step && ["unschedulable", "error"].includes(outcomes[entry.cycle - first]);
    if (width) paintLanes(canvas.current, width, { all, place, failed });
  }, [width, all, place, colour, outcomes]);

  const held = refusal("cycle-back");
  const indexAt = (event) => {
    const i = Math.floor((event.clientX - canvas.current.getBoundingClientRect().left) / scale);
    return all.length && i >= 0 ? Math.min(all.length - 1, i) : -1;
  };
  const go = (i) => !held && i >= 0 && i < all.length && i !== place && goTo(all[i].seq);
  const down = (event) => {
    if (held) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    go(indexAt(event));
  };
  const move = (event) => {
    setUnder(indexAt(event));
    if (event.buttons === 1) go(indexAt(event));
  };
  const key = (event) => {
    // With one controller selected, the keys move between its steps.
    const next = (by) => {
      let i = place + by;
      while (onlyActor.peek() && all[i] && !all[i].step) i += by;
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
    if (!(event.key in places) || held) return;
    event.preventDefault();
    go(places[event.key]);
  };
  const entry = all[place];
  const text = useMemo(() => (entry?.step ? `${entry.step.actor}: ${entry.step.reason}` : ""), [entry]);
  const shown = under >= 0 ? all[under] : entry;
  return html`<div class="lanes">
    <p class="lane-names" aria-hidden="true">
      <span>${_("scheduler")}</span><span>${_("controllers")}</span><span>${_("nodes")}</span>
    </p>
    <div class="lane-marks" ref=${box} role="slider" tabindex="0" aria-label=${_("Who did what")}
      title=${held || (isCut.value ? _("the newest steps of controllers; earlier ones are in the trace") : undefined)}
      aria-disabled=${held ? "true" : undefined} aria-valuemin="0" aria-valuemax=${Math.max(0, all.length - 1)}
      aria-valuenow=${Math.max(0, place)}
      aria-valuetext=${entry ? `${clock(entry.t)} ${text || fill(_("cycle {n}"), { n: number(entry.cycle) })}` : ""}
      onPointerDown=${down} onPointerMove=${move} onPointerLeave=${() => setUnder(-1)} onKeyDown=${key}
    >
      <canvas ref=${canvas} style=${{ width: "100%", height: `${HEIGHT}px` }} aria-hidden="true" />
    </div>
    <${EntryText} entry=${shown} />
    <div class="row"><${WhichActor} />${children}</div>
  </div>`;
}
