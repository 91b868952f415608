/** The dialog of one workload: progress, why it is stuck, pods over time, controllers' actions. */
import { html, useEffect } from "../../vendor/preact.js";
import { formatClock } from "../base/format.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { goToRecord, lastUpTo, selectedSeq, refreshSteps, stepsAbout } from "../life/controller_steps.js";
import { Dialog } from "../parts/dialog.js";
import { refusal } from "../access/allowed.js";
import { workloads } from "../clusters/workloads.js";
import { Rollout } from "./rollout.js";

const MOST = 60; // steps listed

/** The repairs of a pod, in the right panel. */
function MakeItFit({ pod }) {
  const ask = () =>
    loadWithMessages(() => import("../repair/repair_actions.js")).then(({ requestedPod }) => {
      closeDialog();
      pinPod(pod);
      openSideTab("pod");
      requestedPod.value = pod;
    }, reportError);
  return html`<p><button type="button" class="btn" onClick=${ask}>${_("What would make it fit?")}</button></p>`;
}

function Steps({ objectKey }) {
  const steps = stepsAbout(objectKey).slice(-MOST).reverse();
  const held = refusal("cycle-back");
  if (!steps.length) return null;
  const numbers = steps.map(({ seq }) => seq).reverse();
  const currentIndex = selectedSeq.value === null ? 0 : numbers.length - 1 - lastUpTo(numbers, selectedSeq.value);
  return html`<h3 class="caps">${_("Component activity")}</h3>
    <ol class="rollout-steps">
      ${steps.map(
        (step, i) => html`<li key=${step.seq}>
          <button type="button" disabled=${Boolean(held)} title=${held || undefined}
            aria-current=${i === currentIndex ? "step" : undefined} onClick=${() => goToRecord(step.seq)}
          ><span
            class="mono quiet">${formatClock(step.t)}</span> <b>${step.actor}</b> <span>${step.reason}</span></button>
        </li>`,
      )}
    </ol>`;
}

export function RolloutDialog({ kind, namespace, workload: name }) {
  const cluster = store.cluster.value;
  useEffect(() => {
    workloads.refresh();
    refreshSteps();
  }, [cluster.id, cluster.revision]);
  const listed = workloads.current()?.workloads ?? [];
  const workload = listed.find((one) => one.kind === kind && one.namespace === namespace && one.name === name);
  const pending = workload?.revisions.flatMap(({ pods }) => pods).find(({ state }) => state === "pending");
  return html`<${Dialog} wide="full" title=${html`${name} <span class="quiet">${kind}</span>`}>
    <div class="rollout-dialog" data-standing=${workload?.state}>
      ${
        workload &&
        html`<p class="rollout-says">${workload.state === "stuck" && `${_("stalled")}: `}${workload.says}</p>
          ${workload.why && html`<p>${workload.why}</p>`}
          ${workload.why && pending && html`<${MakeItFit} pod=${pending.pod} />`}`
      }
      <${Rollout} workload=${{ kind, namespace, name }} large=${true} />
      <${Steps} objectKey=${`${namespace}/${name}`} />
    </div>
  <//>`;
}
