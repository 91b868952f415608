/** The cycle: the 14 extension points left to right, the plugins of the point in view, and the step in words. */
import { html, useEffect, useRef } from "../../vendor/preact.js";
import { goToCycle } from "../actions/run.js";
import { hover, openSide, pinPod } from "../actions/select.js";
import { podName } from "../format.js";
import { PHASES, pointOf, pointsAt, stepsOf } from "../frame.js";
import { _, fill, number } from "../i18n.js";
import { frame, store } from "../store.js";
import { actor, outcomeSentence, outcomeWord, phaseWord, pointHelp, pointStateWord, skipsBefore, stepSentence, wordsOf } from "../words.js";
import { Breakable } from "./parts/breakable.js";
import { PictureMenu } from "./picture_menu.js";
import { icon } from "./parts/icon.js";
import { What } from "./parts/what.js";

const MARK = { ran: "pass", failed: "rejected", waiting: "waiting", skipped: "skipped", before: "pass" };

/** The second line of a point: nodes in → out, else how many plugins ran and skipped. */
function summary({ state, in: into, out, ran, skipped }) {
  if (state === "needless" || state === "before") return pointStateWord(state);
  // A phase that was not reached says so once, beside its name.
  if (state === "ahead" || state === "unreached") return "";
  if (into !== undefined) return `${number(into)}→${number(out)}`;
  if (ran && skipped) return fill(_("{ran}, {skipped} skip"), { ran, skipped });
  if (skipped) return fill(_("{skipped} skip"), { skipped });
  return ran ? String(ran) : "";
}

/** Room that a point needs, in px: its longest word or its last note. It depends on the cycle alone, so that nothing jumps between steps. */
function room(entry) {
  const name = Math.max(...wordsOf(entry.point).map((word) => word.length));
  const marked = MARK[entry.state] && entry.in === undefined ? 13 : 0;
  // "not needed" may take two lines, and then its longest word is what counts.
  const note = entry.state === "needless" ? 0 : summary(entry).length * (entry.in === undefined ? 5.3 : 7.4) + marked;
  return Math.max((entry.state === "needless" ? entry.point.length : name) * 6 + 6, note) + 7;
}


function Point({ entry, cycle }) {
  const { point, state, current, steps } = entry;
  const target = steps[0]?.index;
  const text = summary(entry);
  const go = () => goToCycle(cycle, steps.at(-1).index + 1);
  return html`<button type="button" class=${`point s-${state} ${current ? "current" : ""}`} data-point=${point} data-state=${state} disabled=${target === undefined}
    aria-current=${current ? "step" : undefined} title=${pointHelp(point)} onClick=${go}>
    <span class="point-name"><${Breakable} name=${point} /></span>
    ${text !== pointStateWord(state) && html`<span class="sr"> ${pointStateWord(state)} </span>`}
    <span class="point-note">${MARK[state] && entry.in === undefined && icon(MARK[state])}${text}</span>
  </button>`;
}

function Chip({ step, index, at, cycle }) {
  const word = step.in !== undefined ? `${number(step.in)} → ${number(step.out)}` : step.code === "Success" || !step.code ? "" : step.code;
  const bad = step.out === 0 || !["Success", "Skip", "Wait", undefined].includes(step.code);
  const tone = index >= at ? "ahead" : bad ? "bad" : step.code === "Skip" ? "skip" : "good";
  return html`<li><button type="button" class=${`chip c-${tone}`} aria-current=${index === at - 1 ? "step" : undefined} onClick=${() => goToCycle(cycle, index + 1)}
    onPointerEnter=${() => hover({ plugin: step.plugin ?? null })} onPointerLeave=${() => hover({ plugin: null })}>
    ${actor(step)} ${word && index < at && html`<span class="quiet">${word}</span>`}
  </button></li>`;
}

function Sentence({ moment }) {
  const { record, step } = moment;
  const count = stepsOf(record).length;
  const entry = stepsOf(record)[step - 1];
  if (!entry) return html`<p class="sentence quiet">${_("Before the first step.")}</p>`;
  return html`<p class="sentence">
    <b>${entry.point}</b><${What} kind=${pointOf(entry) === entry.point ? "point" : "step"} name=${entry.point} />
    ${entry.plugin && !skipsBefore(record, step - 1) && html`<b>${entry.plugin}</b><${What} kind="plugin" name=${entry.plugin} />`}
    <span class="cut" title=${stepSentence(record, step - 1)}>${stepSentence(record, step - 1)}</span>
    ${step === count && html`<span class=${`outcome is-${record.cycle.outcome === "scheduled" ? "chosen" : record.cycle.outcome === "waiting" ? "waiting" : "rejected"}`}>
      ${icon(record.cycle.outcome === "scheduled" ? "chosen" : record.cycle.outcome === "waiting" ? "waiting" : "rejected")}
      ${record.cycle.outcome === "scheduled" || record.cycle.outcome === "waiting" ? outcomeSentence(record.cycle) : html`<span title=${record.cycle.message}>${outcomeWord(record.cycle.outcome)}</span>`}</span>`}
  </p>`;
}

function PhaseName({ name, unreached }) {
  const words = unreached ? `${name} · ${pointStateWord("unreached")}` : name;
  return html`<span class="phase-name" title=${words}>${words}</span>`;
}

function NoCycle() {
  return html`<div class="empty">
    <p>${_("No pod has been scheduled yet.")}</p>
    <p class="quiet">${_("Step through the first cycle with")} <kbd>.</kbd> ${_("show a whole one with")} <kbd>]</kbd> ${_("or play them all with")} <kbd>${_("Space")}</kbd></p>
  </div>`;
}

export function Pipeline() {
  const moment = frame.value;
  const strip = useRef(null);
  const chips = useRef(null);
  const currentPoint = moment?.current ? pointOf(moment.current) : null;
  // Where the strip does not fit, the point in view scrolls into sight.
  useEffect(() => {
    const box = strip.current;
    const point = box?.querySelector(".current");
    if (!point || box.scrollWidth <= box.clientWidth) return;
    box.scrollLeft = point.offsetLeft - box.clientWidth / 2 + point.offsetWidth / 2;
  }, [currentPoint]);
  useEffect(() => {
    const box = chips.current;
    const chip = box?.querySelector("[aria-current]")?.parentElement;
    if (chip && box.scrollWidth > box.clientWidth) box.scrollLeft = chip.offsetLeft - box.clientWidth / 2 + chip.offsetWidth / 2;
  }, [moment?.step, currentPoint]);
  if (!moment) {
    return html`<section class="panel pipeline" aria-labelledby="cycle-title"><div class="head"><h2 id="cycle-title">${_("Cycle")}</h2></div><${NoCycle} /></section>`;
  }
  const { cycle } = moment.record;
  const points = pointsAt(moment.record, moment.step);
  const byName = new Map(points.map((entry) => [entry.point, entry]));
  const rooms = new Map(pointsAt(moment.record, stepsOf(moment.record).length).map((entry) => [entry.point, room(entry)]));
  const open = byName.get(currentPoint);
  const cursor = store.cursor.value;
  const loading = cursor.cycle !== cycle.number;
  return html`<section class=${`panel pipeline ${loading ? "stale" : ""}`} aria-labelledby="cycle-title">
    <div class="head">
      <h2 id="cycle-title">${fill(_("Cycle {n}"), { n: number(cycle.number) })}</h2>
      <button type="button" class="link name cut tail" onClick=${() => (pinPod(cycle.pod), openSide("pod"))} title=${cycle.pod}><bdi>${podName(cycle.pod)}</bdi></button>
      <span class="about" title=${fill(_("attempt {n}, priority {p}"), { n: cycle.attempt, p: cycle.priority })}>${fill(_("attempt {n}, priority {p}"), { n: cycle.attempt, p: cycle.priority })}</span>
      <span class="grow" />
      <span class="about step-of">${fill(_("step {n} of {all}"), { n: moment.step, all: stepsOf(moment.record).length })}</span>
      <${PictureMenu} view="pipeline" />
    </div>
    <div class="strip scroll" ref=${strip}>
      ${PHASES.map(([phase, names]) => html`<div class="phase" key=${phase} style=${{ "--weight": names.reduce((sum, name) => sum + rooms.get(name), 0), "--points": names.map((name) => `minmax(0, ${rooms.get(name)}fr)`).join(" ") }}>
        <${PhaseName} name=${phaseWord(phase)} unreached=${names.every((name) => byName.get(name).state === "unreached")} />
        <div class="phase-points">${names.map((name) => html`<${Point} key=${name} entry=${byName.get(name)} cycle=${cycle.number} />`)}</div>
      </div>`)}
    </div>
    <${Sentence} moment=${moment} />
    ${open && html`<ol class="chips scroll" ref=${chips} aria-label=${fill(_("Steps at {point}"), { point: open.point })}>
      ${open.steps.map(({ step, index }) => html`<${Chip} key=${index} step=${step} index=${index} at=${moment.step} cycle=${cycle.number} />`)}
    </ol>`}
  </section>`;
}
