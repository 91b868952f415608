/** The transport: start, back, play or pause, step, cycle; the timeline; the pace. */
import { html } from "../../vendor/preact.js";
import { confirmReset, cycleBack, cycleForward, setPace, stepBack, stepForward, goToEnd, togglePlay } from "./run.js";
import { PACES } from "./larger_steps.js";
import { isOffered, playingHere, refusal } from "../access/allowed.js";
import { formatClock } from "../base/format.js";
import { stepsOf } from "../cycle/frame.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { lastCycle, store } from "../base/store.js";
import { driving, redo, timing, undo } from "./playback_actions.js";
import { BranchMenu } from "../branches/branch_menu.js";
import { translatedText } from "../base/sentence.js";
import { icon } from "../parts/icon.js";
import { Menu, MenuItem } from "../parts/menu.js";
import { Timeline } from "./timeline.js";

const paceText = (pace) => (pace === 0 ? _("fastest") : fill(_("{n}×"), { n: pace }));

function Pace() {
  return html`<label class="pace"
    title=${_("Speed: 1× is one cycle per second, fastest has no limit")}
  >
    <span class="sr">${_("Playback speed")}</span>
    <select value=${String(preferences.pace.value)}
      onChange=${(event) => setPace(Number(event.currentTarget.value)).catch(reportError)}
    >${PACES.map((pace) => html`<option value=${String(pace)}>${paceText(pace)}</option>`)}</select>
  </label>`;
}

/** A button of an action; if that is refused, the button explains why. */
function Button({ id, name, label, hint, onClick, disabled, className = "", text }) {
  const refused = refusal(id);
  const title = refused ? `${label}: ${refused}` : hint ? `${label}  ${hint}` : label;
  return html`<button type="button" class=${`btn ${text ? "worded" : "icon"} ${className}`}
    aria-label=${text ? undefined : label} title=${title} disabled=${disabled || Boolean(refused)} onClick=${onClick}
  >${icon(name)}${text && html`<span>${text}</span>`}</button>`;
}

const MORE = [
  "point-forward",
  "point-back",
  "pod-forward",
  "pod-back",
  "slow-motion",
  "start",
  "end",
  "backoff",
  "pass-time",
  "breakpoints",
  "break-pod",
];

function MoreSteps() {
  return html`<${Menu} label=${html`<span class="sr">${_("More steps")}</span>⋯`} title=${_("More steps")}
    className="up more-steps"
  >
    ${(close) =>
      [...driving(), ...timing()]
        .filter(({ id }) => MORE.includes(id) && isOffered(id))
        .map((row) => {
          const blocked = row.blocked();
          return html`<${MenuItem} key=${row.id} hint=${blocked || row.keys[0]?.shown} disabled=${Boolean(blocked)}
            onPick=${() => (close(), row.run())}
          >${row.label}<//>`;
        })}
  <//>`;
}

function UndoButton() {
  const { can_undo: back, can_redo: forth } = store.cluster.value;
  return html`
    <button type="button" class="btn icon" aria-label=${_("Undo")}
      title=${back ? `${fill(_("Undo: {what}"), { what: translatedText(back, "what") })}  u` : _("Nothing to undo")}
      disabled=${!back} onClick=${undo}
    >${icon("undo")}</button>
    ${
      forth &&
      html`<button type="button" class="btn icon" aria-label=${_("Redo")}
        title=${`${fill(_("Redo: {what}"), { what: translatedText(forth, "what") })}  U`}
        onClick=${redo}
      >${icon("redo")}</button>`
    }
  `;
}

/**
 * The controls of playback. They stay enabled while the server is busy, because a press on a disabled button is lost.
 */
export function Transport() {
  const isPlaying = playingHere.value;
  const cannotPlay = isPlaying ? "" : refusal("play");
  const shown = store.shown.value;
  const cluster = store.cluster.value;
  const { first } = store.history.value;
  const last = lastCycle.value;
  const cycle = shown?.record.cycle;
  const atStart = !cycle || (cycle.number === first && shown.step <= 1);
  const running = cluster.running;
  const pending = cluster.counts?.pending;
  return html`<footer class="transport" aria-label=${_("Playback")}>
    <div class="row buttons">
      ${
        isOffered("reset") &&
        html`<${Button} id="reset" name="reset" label=${_("Reset to the start")} onClick=${confirmReset}
          disabled=${isPlaying} className="plain-wide"
        />`
      }
      <${Button} id="cycle-back" name="cycle-back" label=${_("One cycle back")} hint="[" onClick=${cycleBack}
        disabled=${!cycle || cycle.number <= first}
      />
      <${Button} id="step-back" name="back" label=${_("One step back")} hint="," onClick=${stepBack}
        disabled=${atStart}
      />
      <button type="button" class="btn primary play" aria-pressed=${isPlaying}
        title=${cannotPlay ? `${_("Play")}: ${cannotPlay}` : _("Space")} onClick=${togglePlay}
        disabled=${Boolean(cannotPlay)}
      >${icon(isPlaying ? "pause" : "play")} ${isPlaying ? _("Pause") : _("Play")}</button>
      <${Button} id="step-forward" name="forward" label=${_("One step forward")} hint="." onClick=${stepForward}
        disabled=${isPlaying} text=${_("Step")}
      />
      <${Button} id="cycle-forward" name="cycle" label=${_("One cycle forward")} hint="]" onClick=${cycleForward}
        disabled=${isPlaying} text=${_("Cycle")}
      />
      <${MoreSteps} />
      ${isOffered("undo") && html`<${UndoButton} />`}
    </div>
    <${Timeline} />
    <div class="where">
      ${
        cycle
          ? html`
            <p>
              <b>${fill(_("cycle {n}"), { n: formatNumber(cycle.number) })}</b> <span
                class="quiet">/ ${formatNumber(last)}</span>
            </p>
            <p class="quiet">
              ${fill(_("step {n} of {all}"), { n: shown.step, all: stepsOf(shown.record).length })}
              <span class="where-clock"> · ${formatClock(shown.record.t)}</span>
            </p>
          `
          : html`<p><b>${_("no cycle yet")}</b></p><p class="quiet">${formatClock(cluster.t)}</p>`
      }
    </div>
    <div class="row">
      ${
        !store.following.value &&
        last >= first &&
        !refusal("end") &&
        html`<button type="button" class="btn small" title="End" onClick=${goToEnd}>${_("to newest")}</button>`
      }
      ${
        running?.kind === "run" &&
        html`<span class="quiet progress" role="progressbar" aria-label=${_("pods still pending")} aria-valuemin="0"
          aria-valuemax=${cluster.counts?.pods ?? 0} aria-valuenow=${(cluster.counts?.pods ?? 0) - (pending ?? 0)}
        >${fill(_("{n} pending"), { n: formatNumber(pending ?? 0) })}</span>`
      }
      ${isOffered("branches") && html`<${BranchMenu} />`}
      <${Pace} />
    </div>
  </footer>`;
}
