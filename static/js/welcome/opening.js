/** The opening: a scheduling decision in one sentence, and three buttons. The page grows out of it. */
import { html, useEffect, useRef } from "../../vendor/preact.js";
import {
  decided,
  openLessons,
  takeTour,
  openOnDecision,
  pasteYours,
  replay,
  startWatching,
} from "./opening_actions.js";
import { isComposing } from "../base/input_method.js";
import { podName } from "../base/format.js";
import { VERDICTS, pointsAt, stepsOf } from "../cycle/frame.js";
import { pointOf } from "../cycle/cycle_steps.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { takeControls } from "./opening_state.js";
import { store } from "../base/store.js";
import { readMoment } from "../cycle/moment_address.js";
import { stepSource, pointHelp, pointStateWord, stepSentence } from "../cycle/cycle_texts.js";
import { Cluster } from "../cluster/cluster.js";
import { icon } from "../parts/icon.js";
import { useKeydown } from "../parts/use_keydown.js";
import { useFrame } from "../cycle/panel_frames.js";

const MARK = { ran: "pass", failed: "rejected", waiting: "waiting", skipped: "skipped" };
// These keys only move the focus.
const WALKING = new Set(["Tab", "Shift", "Control", "Alt", "Meta", "CapsLock"]);
const SCORING = new Set(["PreScore", "Score", "NormalizeScore"]);
// These keys stop the opening; every other key starts the page and runs its action.
const STOPS = new Set([" ", "Escape", "Enter"]);

/** Return the pod's state at this moment: [action, remainder]. */
function describeMoment({ record, current, counts, searching, totals, soFar }) {
  const { cycle } = record;
  const pod = html`<bdi class="mono">${podName(cycle.pod)}</bdi>`;
  const about = (text) => text.split("{pod}").flatMap((part, i) => (i ? [pod, part] : [part]));
  const count = (verdict) => counts[VERDICTS.indexOf(verdict)];
  const all = cycle.nodes.total;
  const left = all - count("rejected") - count("error");
  if (count("chosen")) return [about(fill(_("{pod} goes to {node}."), { node: cycle.node })), ""];
  if (current?.point === "PostFilter") return [about(_("{pod} finds no node.")), ""];
  if (totals || soFar || SCORING.has(current?.point))
    return [about(_("{pod} compares the nodes.")), ngettext("{n} node scores.", "{n} nodes score.", left)];
  const still = fill(_("{n} of {all} are left."), { n: formatNumber(left), all: formatNumber(all) });
  return [
    about(_("{pod} looks for a node.")),
    searching ? still : ngettext("{n} node to choose from.", "{n} nodes to choose from.", all),
  ];
}

/** The sentence of a step; preparing and following steps show their point, and after the choice the choice itself. */
function StepText({ moment: { record, step, current } }) {
  const steps = stepsOf(record);
  const chosen = steps.findIndex((entry) => entry.point === "SelectHost");
  const index = chosen >= 0 && step > chosen ? chosen : step - 1;
  const entry = steps[index] ?? current;
  if (!entry) return null;
  const tells = entry.data || entry.in !== undefined || entry.reasons?.length;
  const point = pointOf(entry);
  return html`<b>${tells ? stepSource(entry) : point}</b> ${tells ? stepSentence(record, index) : pointHelp(point)}`;
}

function MomentText({ moment }) {
  const [does, left] = describeMoment(moment);
  return html`
    <h2 class="opening-head">${does} <span class="quiet">${left}</span></h2>
    <p class="opening-why" data-step=${moment.step}><${StepText} moment=${moment} /></p>
  `;
}

/** The points that do something in this cycle. */
function Points({ moment }) {
  const points = pointsAt(moment.record, moment.step).filter((entry) =>
    entry.steps.some(({ step }) => step.code !== "Skip" && step.point === entry.point),
  );
  const currentPoint = moment.current && pointOf(moment.current);
  return html`<ol class="opening-points" aria-label=${_("Extension points")}>
    ${points.map(
      (entry) => html`<li key=${entry.point} class=${`s-${entry.state}`} data-point=${entry.point}
        aria-current=${entry.point === currentPoint ? "step" : undefined}
      >
        ${MARK[entry.state] && entry.point !== currentPoint && icon(MARK[entry.state])}
        ${entry.point}
        ${
          entry.in !== undefined &&
          entry.state !== "ahead" &&
          html` <b>${formatNumber(entry.in)}→${formatNumber(entry.out)}</b>`
        }
        <span class="sr"> ${pointStateWord(entry.state)}</span>
      </li>`,
    )}
  </ol>`;
}

function StartButton({ mark, title, text, run, primary }) {
  return html`<button type="button" class=${`door ${primary ? "first" : ""}`} onClick=${run}>
    <b>${icon(mark)} ${title}</b>
    <span>${text}</span>
  </button>`;
}

function StartButtons() {
  const waiting = store.cluster.value?.counts?.pending ?? 0;
  const going = waiting
    ? ngettext("{n} Pod is still pending.", "{n} Pods are still pending.", waiting)
    : _("The story continues.");
  const [before, after] = _(
    "Paste the output of {command} to see why each Pod is pending. Your data stays on your machine.",
  ).split("{command}");
  return html`<div class="doors">
    <${StartButton} primary mark="play" title=${_("Watch")}
      text=${`${going} ${_("Stop, go back, step into any decision.")}`} run=${startWatching}
    />
    <${StartButton} mark="lesson" title=${_("Learn")}
      text=${_("Short lessons with predictions, each with its own cluster.")} run=${openLessons}
    />
    <${StartButton} mark="paste" title=${_("Import")}
      text=${html`${before}<code>kubectl get nodes,pods -A -o yaml</code>${after}`} run=${pasteYours}
    />
  </div>`;
}

/** Start the page with any key, except those that focus and press a button. */
function useAnyKey() {
  useKeydown((event) => {
    if (isComposing(event) || WALKING.has(event.key) || store.dialog.peek()) return;
    const onControl = event.target instanceof Element && event.target.closest("button, a, summary");
    if (onControl && (event.key === "Enter" || event.key === " ")) return;
    if (STOPS.has(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    }
    takeControls();
  });
}

export function Opening() {
  const main = useRef(null);
  const moment = useFrame();
  useAnyKey();
  useEffect(() => void openOnDecision(readMoment()).catch(reportError), []);
  const click = (event) => event.target.closest(".doors, .opening-foot") || takeControls();
  return html`<main class="opening" id="main" ref=${main} onClick=${click}>
    ${
      moment
        ? html`<div><${MomentText} moment=${moment} /></div><${Points} moment=${moment} />`
        : html`<p class="opening-head quiet">${_("Opening")}</p>`
    }
    ${store.cluster.value && html`<${Cluster} bare />`}
    <${StartButtons} />
    <p class="opening-foot row wrap">
      <button type="button" class="btn" onClick=${takeControls}>${_("Take the controls")}</button>
      <span class="quiet with-keys">${_("or press any key")}</span>
      <span class="grow" />
      ${
        decided.value &&
        moment &&
        stepsOf(moment.record).length > 0 &&
        html`<button type="button" class="btn bare" onClick=${replay}>${_("Again")}</button>`
      }
      <button type="button" class="btn bare" onClick=${takeTour}>${_("Take the tour")}</button>
    </p>
  </main>`;
}
