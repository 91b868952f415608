/** The dialog of one workload: progress, why it is stuck, pods over time, controllers' actions. */
import { html, useEffect } from "../../vendor/preact.js";
import { clock } from "../base/format.js";
import { _, withWords } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { openSide, pinPod } from "../cycle/select.js";
import { goTo, lastUpTo, moment, refreshSteps, stepsOf } from "../life/steps.js";
import { Dialog } from "../parts/dialog.js";
import { refusal } from "../access/allowed.js";
import { workloads } from "../clusters/workloads.js";
import { Rollout } from "./rollout.js";

const MOST = 60; // steps listed

/** The repairs of a pod, in the right panel. */
function MakeItFit({ pod }) {
  const ask = () =>
    withWords(() => import("../repair/actions.js")).then(({ wanted }) => {
      closeDialog();
      pinPod(pod);
      openSide("pod");
      wanted.value = pod;
    }, report);
  return html`<p><button type="button" class="btn" onClick=${ask}>${_("What would make it fit?")}</button></p>`;
}

function Steps({ of }) {
  const steps = stepsOf(of).slice(-MOST).reverse();
  const held = refusal("cycle-back");
  if (!steps.length) return null;
  const numbers = steps.map(({ seq }) => seq).reverse();
  const at = moment.value === null ? 0 : numbers.length - 1 - lastUpTo(numbers, moment.value);
  return html`<h3 class="caps">${_("Who did what")}</h3>
    <ol class="rollout-steps">
      ${steps.map(
        (step, i) => html`<li key=${step.seq}>
          <button type="button" disabled=${Boolean(held)} title=${held || undefined}
            aria-current=${i === at ? "step" : undefined} onClick=${() => goTo(step.seq)}
          ><span class="mono quiet">${clock(step.t)}</span> <b>${step.actor}</b> <span>${step.reason}</span></button>
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
  const found = listed.find((one) => one.kind === kind && one.namespace === namespace && one.name === name);
  const pending = found?.revisions.flatMap(({ pods }) => pods).find(({ state }) => state === "pending");
  return html`<${Dialog} wide="full" title=${html`${name} <span class="quiet">${kind}</span>`}>
    <div class="rollout-dialog" data-standing=${found?.state}>
      ${
        found &&
        html`<p class="rollout-says">${found.state === "stuck" && `${_("stands still")}: `}${found.says}</p>
          ${found.why && html`<p>${found.why}</p>`}
          ${found.why && pending && html`<${MakeItFit} pod=${pending.pod} />`}`
      }
      <${Rollout} workload=${{ kind, namespace, name }} large=${true} />
      <${Steps} of=${`${namespace}/${name}`} />
    </div>
  <//>`;
}
