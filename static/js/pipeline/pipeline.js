/** The cycle: the 14 extension points from left to right, the plugins of the current point, and the step in words. */
import { html, useEffect, useRef } from "../../vendor/preact.js";
import { goToCycle } from "../cycle/playback.js";
import { hover, openSideTab, pinPod } from "../cycle/selection.js";
import { isOffered, refusal } from "../access/allowed.js";
import { podName } from "../base/format.js";
import { isWithin, pointsAt, stepsOf } from "../cycle/frame.js";
import { PHASES, pointOf } from "../cycle/cycle_steps.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { isLoading } from "../base/store.js";
import {
  stepSource,
  outcomeSentence,
  outcomeWord,
  phaseWord,
  pointHelp,
  pointStateWord,
  countSkipsBefore,
  stepSentence,
} from "../cycle/cycle_texts.js";
import { Breakable, wordsOf } from "../parts/breakable.js";
import { lazy } from "../parts/lazy.js";
import { PictureMenu } from "../pictures/picture_menu.js";
import { icon } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";
import { asPanel, useFrame } from "../cycle/panel_frames.js";
import { lanes } from "../cycle/lanes.js";

const MARK = { ran: "pass", failed: "rejected", waiting: "waiting", skipped: "skipped", before: "pass" };

/** Return the second line of a point: nodes in → out, else how many plugins ran and skipped. */
function pointSummary({ state, in: into, out, ran, skipped }) {
  if (state === "needless" || state === "before") return pointStateWord(state);
  // A phase that was not reached is marked once, beside its name.
  if (state === "ahead" || state === "unreached") return "";
  if (into !== undefined) return `${formatNumber(into)}→${formatNumber(out)}`;
  if (ran && skipped) return fill(_("{ran}, {skipped} skip"), { ran, skipped });
  if (skipped) return fill(_("{skipped} skip"), { skipped });
  return ran ? String(ran) : "";
}

/**
 * Return the px that a point needs: its longest word or last note. It depends only on the cycle, so that nothing moves
 * between steps.
 */
function pointWidth(entry) {
  const name = Math.max(...wordsOf(entry.point).map((word) => word.length));
  const marked = MARK[entry.state] && entry.in === undefined ? 13 : 0;
  // "not needed" may take two lines; then its longest word counts.
  const note =
    entry.state === "needless" ? 0 : pointSummary(entry).length * (entry.in === undefined ? 5.3 : 7.4) + marked;
  return Math.max((entry.state === "needless" ? entry.point.length : name) * 6 + 6, note) + 7;
}

/** Return true for a point that does nothing in this cycle; in a narrow panel its name is vertical. */
const isThin = ({ state }) => state === "needless" || state === "unreached";
const THIN = 17; // px of such a point
const LONG = 10; // letters of a vertical name in one column
const TIGHT = 4; // px less for the others
const tightPointWidth = (entry) =>
  isThin(entry) ? THIN * (entry.point.length > LONG ? 2 : 1) : pointWidth(entry) - TIGHT;

function Point({ entry, thin, cycle }) {
  const { point, state, current, steps } = entry;
  const target = steps[0]?.index;
  const text = pointSummary(entry);
  const refused = refusal("point-back");
  const go = () => goToCycle(cycle, steps.at(-1).index + 1);
  return html`<button type="button" class=${`point s-${state} ${current ? "current" : ""} ${thin ? "thin" : ""}`}
    data-point=${point} data-state=${state} disabled=${target === undefined || Boolean(refused)}
    aria-current=${current ? "step" : undefined} title=${refused || pointHelp(point)} onClick=${go}
  >
    <span class="point-name"><${Breakable} name=${point} /></span>
    ${(thin || text !== pointStateWord(state)) && html`<span class="sr"> ${pointStateWord(state)} </span>`}
    <span class="point-note" aria-hidden=${thin ? "true" : undefined}>
      ${MARK[state] && entry.in === undefined && icon(MARK[state])}
      ${text}
    </span>
  </button>`;
}

function Chip({ step, index, doneCount, cycle }) {
  const word =
    step.in !== undefined
      ? `${formatNumber(step.in)} → ${formatNumber(step.out)}`
      : step.code === "Success" || !step.code
        ? null
        : step.code;
  const bad = step.out === 0 || !["Success", "Skip", "Wait", undefined].includes(step.code);
  const tone = index >= doneCount ? "ahead" : bad ? "bad" : step.code === "Skip" ? "skip" : "good";
  return html`<li>
    <button type="button" class=${`chip c-${tone}`} disabled=${Boolean(refusal("step-back"))}
      title=${refusal("step-back") || undefined} aria-current=${index === doneCount - 1 ? "step" : undefined}
      onClick=${() => goToCycle(cycle, index + 1)} onPointerEnter=${() => hover({ plugin: step.plugin ?? null })}
      onPointerLeave=${() => hover({ plugin: null })}
    >${stepSource(step)} ${word && index < doneCount && html`<span class="quiet">${word}</span>`}</button>
  </li>`;
}

function Sentence({ moment }) {
  const { record, step } = moment;
  const count = stepsOf(record).length;
  const entry = stepsOf(record)[step - 1];
  if (!entry) return html`<p class="sentence quiet">${_("Before the first step.")}</p>`;
  const { outcome } = record.cycle;
  const look = { scheduled: "chosen", waiting: "waiting" }[outcome] ?? "rejected";
  return html`<p class="sentence">
    <b>${entry.point}</b>
    <${GlossaryButton} kind=${pointOf(entry) === entry.point ? "point" : "step"} name=${entry.point} />
    ${
      entry.plugin &&
      !countSkipsBefore(record, step - 1) &&
      html`<b>${entry.plugin}</b><${GlossaryButton} kind="plugin" name=${entry.plugin} />`
    }
    <span class="cut" title=${stepSentence(record, step - 1)}>${stepSentence(record, step - 1)}</span>
    ${
      step === count &&
      html`<span class=${`outcome is-${look}`}>
        ${icon(look)}
        ${
          look === "rejected"
            ? html`<span title=${record.cycle.message}>${outcomeWord(outcome)}</span>`
            : outcomeSentence(record.cycle)
        }
      </span>`
    }
  </p>`;
}

/** Return the widths of a phase and its points for the style sheet. */
function phaseWidths(kind, names, entries, widthOf) {
  const widths = names.map((name) => widthOf(entries.get(name)));
  return {
    [`--weight${kind}`]: widths.reduce((sum, one) => sum + one, 0),
    [`--points${kind}`]: widths.map((one) => `minmax(0, ${one}fr)`).join(" "),
  };
}

function PhaseName({ name, unreached }) {
  const words = unreached ? `${name} · ${pointStateWord("unreached")}` : name;
  return html`<span class="phase-name" title=${words}>${words}</span>`;
}

/** The hints before the first cycle: create a pod, see why pods wait, or continue. */
function NoCycle() {
  const { active = 0, ...others } = lanes.value.queue?.counts ?? {};
  const waits = Object.values(others).some(Boolean);
  return html`<div class="empty">
    <p>${_("No pod has been scheduled yet.")}</p>
    ${
      active > 0 &&
      html`
        <p class="quiet">${_("Use the buttons below: one step, one cycle, or play all.")}</p>
        <p class="row wrap quiet">
          <span><kbd>.</kbd> ${_("Step")}</span> <span><kbd>]</kbd> ${_("Cycle")}</span> <span>
            <kbd>${_("Space")}</kbd> ${_("Play")}
          </span>
        </p>
      `
    }
    ${!active && waits && html`<p class="quiet">${_("No Pod is ready. The queues show why each one waits.")}</p>`}
    ${
      !active &&
      !waits &&
      html`<p class="row wrap">
        <span class="quiet">${_("No pending Pods.")}</span>
        ${
          isOffered("new") &&
          html`<button type="button" class="btn small"
            onClick=${() => openDialog("new", { template: "pod" })}
          >${_("New pod")}</button>`
        }
      </p>`
    }
  </div>`;
}

const GroupStrip = lazy(() => import("../gang/group_strip.js").then((module) => module.GroupStrip));

function PipelineView() {
  const moment = useFrame();
  const strip = useRef(null);
  const chips = useRef(null);
  const currentPoint = moment?.current ? pointOf(moment.current) : null;
  // If the strip does not fit, the current point scrolls into view.
  useEffect(() => {
    const box = strip.current;
    const point = box?.querySelector(".current");
    if (!point || box.scrollWidth <= box.clientWidth) return;
    box.scrollLeft = point.offsetLeft - box.clientWidth / 2 + point.offsetWidth / 2;
  }, [currentPoint]);
  useEffect(() => {
    const box = chips.current;
    const chip = box?.querySelector("[aria-current]")?.parentElement;
    if (chip && box.scrollWidth > box.clientWidth)
      box.scrollLeft = chip.offsetLeft - box.clientWidth / 2 + chip.offsetWidth / 2;
  }, [moment?.step, currentPoint]);
  if (!moment) {
    return html`<section class="panel pipeline" aria-labelledby="cycle-title">
      <div class="head"><h2 id="cycle-title">${_("Cycle")}</h2></div>
      <${NoCycle} />
    </section>`;
  }
  const { cycle } = moment.record;
  const points = pointsAt(moment.record, moment.step);
  const byName = new Map(points.map((entry) => [entry.point, entry]));
  const atEnd = new Map(pointsAt(moment.record, stepsOf(moment.record).length).map((entry) => [entry.point, entry]));
  const open = byName.get(currentPoint);
  return html`<section class=${`panel pipeline ${isLoading.value ? "stale" : ""} ${isWithin(moment) ? "in-cycle" : ""}`}
    aria-labelledby="cycle-title"
  >
    <div class="head">
      <h2 id="cycle-title">${fill(_("Cycle {n}"), { n: formatNumber(cycle.number) })}</h2>
      <button type="button" class="link name cut tail" onClick=${() => (pinPod(cycle.pod), openSideTab("pod"))}
        title=${cycle.pod}
      ><bdi>${podName(cycle.pod)}</bdi></button>
      <span class="about" title=${fill(_("attempt {n}, priority {p}"), { n: cycle.attempt, p: cycle.priority })}>
        ${fill(_("attempt {n}, priority {p}"), { n: cycle.attempt, p: cycle.priority })}
      </span>
      <span class="grow" />
      <span class="about step-of">
        ${fill(_("step {n} of {all}"), { n: moment.step, all: stepsOf(moment.record).length })}
      </span>
      <${PictureMenu} view="pipeline" />
    </div>
    ${cycle.group && html`<${GroupStrip} record=${moment.record} />`}
    <div class="strip scroll" ref=${strip}>
      ${PHASES.map(
        ([phase, names]) => html`<div class="phase" key=${phase}
          style=${{
            ...phaseWidths("", names, atEnd, pointWidth),
            ...phaseWidths("-tight", names, atEnd, tightPointWidth),
          }}
        >
          <${PhaseName} name=${phaseWord(phase)}
            unreached=${names.every((name) => byName.get(name).state === "unreached")}
          />
          <div class="phase-points">
            ${names.map(
              (name) => html`<${Point} key=${name} entry=${byName.get(name)} thin=${isThin(atEnd.get(name))}
                cycle=${cycle.number}
              />`,
            )}
          </div>
        </div>`,
      )}
    </div>
    <${Sentence} moment=${moment} />
    ${
      open &&
      html`<ol class="chips scroll" ref=${chips} aria-label=${fill(_("Steps at {point}"), { point: open.point })}>
        ${open.steps.map(
          ({ step, index }) => html`<${Chip} key=${index} step=${step} index=${index} doneCount=${moment.step}
            cycle=${cycle.number}
          />`,
        )}
      </ol>`
    }
  </section>`;
}

export const Pipeline = asPanel("pipeline", PipelineView);
