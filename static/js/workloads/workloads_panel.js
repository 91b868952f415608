/**
 * The workloads panel: owner, revisions, pods; why a rollout is stuck; controllers' actions. It is beside the queues.
 */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { formatClock, formatKindCounts, podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { lazy } from "../parts/lazy.js";
import { loadStyleSheet } from "../parts/style_sheet.js";
import { mayEdit } from "../access/allowed.js";
import { startControllers } from "./controller_actions.js";
import { workloads } from "../clusters/workloads.js";
import { TimeControls } from "./time_controls.js";

await loadStyleSheet(new URL("./workloads.css", import.meta.url));

const Rollout = lazy(() => import("./rollout.js").then((module) => module.Rollout), html`<div class="rollout" />`);

const stateWords = () => ({
  pending: _("waits for a node"),
  starting: _("starts"),
  ready: _("ready"),
  ended: _("has ended"),
  failed: _("failed"),
  stopping: _("stops"),
});

/** The offer to start controllers, without which workloads create no pods. */
function StartControllersOffer({ workloads }) {
  const counts = {};
  for (const { kind } of workloads) counts[kind] = (counts[kind] ?? 0) + 1;
  return html`<div data-ask-live>
    <p>${fill(_("{kinds} create no Pods while controllers are off."), { kinds: formatKindCounts(counts) })}</p>
    <button type="button" class="btn primary" onClick=${startControllers}>${_("Start controllers")}</button>
  </div>`;
}

function Pod({ pod }) {
  const show = () => (pinPod(pod.pod), openSideTab("pod"));
  return html`<li>
    <button type="button" class="link mono cut tail" title=${pod.pod} onClick=${show}>
      <bdi>${podName(pod.pod)}</bdi>
    </button>
    <span class="quiet cut">${pod.node ?? stateWords()[pod.state]}</span>
  </li>`;
}

function Revision({ revision: { name, current, pods, more } }) {
  const word = stateWords();
  return html`<span class="revision">
    ${name && html`<span class="mono">${name}</span>`}
    ${pods.map(
      ({ pod, state }) => html`<i key=${pod} class=${`mark s-${state} ${current ? "" : "old"}`}
        title=${`${podName(pod)}: ${word[state]}`}
      />`,
    )}
    ${more > 0 && html`<span class="quiet">+${formatNumber(more)}</span>`}
  </span>`;
}

function Workload({ workload }) {
  const { kind, namespace, name, state, says, why, revisions } = workload;
  const [open, setOpen] = useState(false);
  const enlarge = () => openDialog("rollout", { kind, namespace, workload: name });
  const edit = () => openDialog("object", { kind, objectKey: `${namespace}/${name}` });
  return html`<details class="workload" data-standing=${state} data-workload=${`${kind}/${namespace}/${name}`}
    onToggle=${(event) => setOpen(event.currentTarget.open)}
  >
    <summary>
      <span class="named"><b>${name}</b> <span class="quiet">${kind}</span></span>
      ${revisions.map((revision) => html`<${Revision} key=${revision.name} revision=${revision} />`)}
      ${state !== "idle" && html`<span class="progress-text">${state === "stuck" && `${_("stalled")}: `}${says}</span>`}
    </summary>
    ${why && html`<p>${why}</p>`}
    ${open && state !== "idle" && html`<${Rollout} workload=${workload} />`}
    <p class="row">
      ${state !== "idle" && html`<button type="button" class="btn small" onClick=${enlarge}>${_("Enlarge")}</button>`}
      ${mayEdit.value && html`<button type="button" class="btn small" onClick=${edit}>${_("Edit")}</button>`}
    </p>
    <ul class="pods">
      ${revisions.flatMap(({ pods }) => pods).map((pod) => html`<${Pod} key=${pod.pod} pod=${pod} />`)}
    </ul>
  </details>`;
}

function Steps({ steps }) {
  if (!steps.length) return null;
  return html`<details>
    <summary>${_("Component activity")}</summary>
    <ul class="reconciles">
      ${steps.map(
        (step) => html`<li key=${step.seq}>
          <span class="mono quiet">${formatClock(step.t)}</span> <b>${step.actor}</b> ${step.reason}
        </li>`,
      )}
    </ul>
  </details>`;
}

export function Workloads() {
  const cluster = store.cluster.value;
  useEffect(workloads.refresh, [cluster.id, cluster.revision]);
  const answer = workloads.current();
  if (!answer) return null;
  const { actors, workloads: rows, more, steps } = answer;
  if (!actors.length && !rows.length) return null;
  return html`<section class="workloads" aria-label=${_("Workloads")} data-workloads=${actors.length ? "live" : "off"}>
    <h3 class="caps">${_("Workloads")}</h3>
    ${
      actors.length
        ? html`<${TimeControls} cluster=${cluster} />`
        : html`<${StartControllersOffer}
      workloads=${rows} />`
    }
    ${rows.map((row) => html`<${Workload} key=${`${row.kind}/${row.namespace}/${row.name}`} workload=${row} />`)}
    ${more > 0 && html`<p class="quiet">${ngettext("{n} more", "{n} more", more)}</p>`}
    <${Steps} steps=${steps} />
  </section>`;
}
