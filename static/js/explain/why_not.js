/** Why not: upstream's message, then the reasons as a tree of nodes, then one node's numbers. */
import { html, useState } from "../../vendor/preact.js";
import { openDecoder } from "./open_explanation.js";
import { isOffered } from "../access/allowed.js";
import { appliedTo } from "../repair/applied_repair.js";
import { Repairs } from "../repair/lazy_repairs.js";
import { isPlacedHere, navigateToPod, waitingPods } from "../drive/navigate_to_waiting_pod.js";
import { openSideTab } from "../cycle/selection.js";
import { answerOf } from "./cached_answers.js";
import { podName } from "../base/format.js";
import { groupRejections, postFilterSteps } from "../cycle/frame.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { staleCycle } from "../cycle/stale_verdicts.js";
import { laneWord, shortPlugin } from "../cycle/cycle_texts.js";
import { NodeAnswer } from "./node_answer.js";
import { Breakable } from "../parts/breakable.js";
import { icon } from "../parts/icon.js";
import { Names, ReasonTree } from "./reason_tree.js";
import { StaleNote } from "../drive/stale_note.js";
import { useFrame } from "../cycle/panel_frames.js";

/**
 * Return reasons: [{reason, plugin, code, names}], biggest first; a node with two reasons counts for both, as in the
 * message.
 */
function groupReasons(moment) {
  const reasons = new Map();
  for (const group of groupRejections(moment)) {
    for (const reason of group.reasons.length ? group.reasons : [group.code]) {
      const key = `${group.plugin} ${reason}`;
      if (!reasons.has(key)) reasons.set(key, { key, reason, plugin: group.plugin, code: group.code, names: [] });
      reasons.get(key).names.push(...group.names);
    }
  }
  return [...reasons.values()].sort((a, b) => b.names.length - a.names.length || a.key.localeCompare(b.key));
}

/** Return the meaning of a status code for preemption. */
function codeNote(code) {
  if (code === "UnschedulableAndUnresolvable") return _("removing pods would not help");
  if (code === "Unschedulable") return _("removing pods might help");
  return code;
}

function Reason({ entry, share: part }) {
  const [open, setOpen] = useState(false);
  return html`<li class="reason">
    <button type="button" class="reason-head" aria-expanded=${open} onClick=${() => setOpen(!open)}>
      ${icon(open ? "down" : "right", "quiet")}
      <b class="num reason-count">${formatNumber(entry.names.length)}</b>
      <span class="grow">
        <span class="reason-text">${entry.reason}</span>
        <span class="quiet block">${entry.plugin ? `${entry.plugin} · ` : ""}${codeNote(entry.code)}</span>
        <span class="bar"><i class="over" style=${{ width: `${part * 100}%` }} /></span>
      </span>
    </button>
    ${open && html`<${Names} names=${entry.names} />`}
  </li>`;
}

/**
 * Show the server's reason tree of a finished attempt. While it loads, or if it fails, show the reasons from the steps.
 */
function FullTree({ moment, steps }) {
  const answer = answerOf(moment.record.cycle.number, "reasons").value;
  return answer.state === "there"
    ? html`<${ReasonTree} key=${moment.record.cycle.number} tree=${answer.value} moment=${moment} />`
    : steps;
}

/** The effect of a PostFilter plugin in a line; the preemption view has the rest. */
function PostFilterResult({ step }) {
  const { nominatedNode, victims = [] } = step.data ?? {};
  return html`<section class="card" data-post-filter=${step.plugin ?? step.extender}>
    <h3 class="row">
      <span class="grow">PostFilter <${Breakable} name=${step.plugin ?? step.extender} /></span>
      <button type="button" class="link" onClick=${() => openSideTab("preemption")}>${_("Candidates")}</button>
    </h3>
    ${
      nominatedNode &&
      html`<p>
        ${icon("chosen", "is-chosen")} ${fill(
          _("{node} is nominated: its victims are evicted, and the pod is tried again."),
          { node: nominatedNode },
        )}
      </p>`
    }
    ${victims.length > 0 && html`<p class="mono">${victims.map(podName).join(", ")}</p>`}
    ${step.reasons?.length > 0 && html`<p class="quiet">${step.reasons.join(", ")}</p>`}
    ${!nominatedNode && !step.reasons?.length && html`<p class="quiet">${step.code}</p>`}
  </section>`;
}

/** The button to the first waiting pod, if this one was placed. */
function WaitingPods() {
  const { count, first } = waitingPods();
  if (!first) return null;
  return html`<section class="card" data-waiting=${first.pod}>
    <h3>${ngettext("{n} pod waits", "{n} pods wait", count)}</h3>
    <p>
      <span class="mono">${podName(first.pod)}</span> <span class="quiet">
        ${laneWord(first.lane)}
        ${first.plugins?.length ? ` · ${first.plugins.map(shortPlugin).join(", ")}` : ""}
      </span>
    </p>
    <p>
      <button type="button" class="btn small" onClick=${() => navigateToPod(first.pod)}>
        ${fill(_("Why does {pod} wait?"), { pod: podName(first.pod) })} <kbd>w</kbd>
      </button>
    </p>
  </section>`;
}

export function WhyNot() {
  const moment = useFrame();
  const pinned = store.pinned.value.node;
  // The preview is at the bottom, so that the hovered element does not move.
  const hovered = store.hovered.value.node;
  // The tab handles a missing moment; this signal may change before the tab does.
  if (!moment) return null;
  const { cycle } = moment.record;
  const tree = groupReasons(moment);
  const rejected = moment.counts[3] + moment.counts[4];
  const over = moment.step >= moment.record.cycle.steps.length;
  const total = cycle.nodes.total;
  const left = Math.max(0, moment.verdict.length - rejected);
  const evicted = postFilterSteps(moment);
  if (!moment.searching)
    return html`
      <h3 class="side-title">${podName(cycle.pod)}</h3>
      <p class="quiet">${_("The search for nodes has not begun at this step.")}</p>
    `;
  const title =
    over && cycle.outcome !== "scheduled" && cycle.nodes.feasible === 0
      ? fill(_("0 of {total} nodes can take {pod}"), { total: formatNumber(total), pod: podName(cycle.pod) })
      : fill(_("{n} of {total} nodes rejected {pod}"), {
          n: formatNumber(rejected),
          total: formatNumber(total),
          pod: podName(cycle.pod),
        });
  const steps = html`
    ${
      tree.length > 0 &&
      html`<ul class="reasons">
        ${tree.map((entry) => html`<${Reason} key=${entry.key} entry=${entry} share=${entry.names.length / total} />`)}
      </ul>`
    }
    ${!tree.length && html`<p class="quiet">${_("No node has been rejected up to this step.")}</p>`}
  `;
  return html`
    <h3 class="side-title">${title}</h3>
    <${StaleNote} change=${staleCycle.value?.change} />
    ${
      rejected > 0 &&
      left > 0 &&
      html`<p class="quiet">
        ${ngettext("{n} node left", "{n} nodes left", left)}
        ${cycle.node && over ? ` · ${fill(_("{node} was chosen"), { node: cycle.node })}` : null}
      </p>`
    }
    ${!pinned && isPlacedHere(moment) && html`<${WaitingPods} />`}
    ${pinned && html`<${NodeAnswer} key=${pinned} name=${pinned} moment=${moment} />`}
    ${over ? html`<${FullTree} moment=${moment} steps=${steps} />` : steps}
    ${
      over &&
      isOffered("repair") &&
      (cycle.outcome !== "scheduled" || appliedTo(cycle.pod)) &&
      html`<${Repairs} key=${cycle.pod} pod=${cycle.pod} placed=${cycle.outcome === "scheduled"} />`
    }
    ${evicted.map((step) => html`<${PostFilterResult} key=${step.plugin ?? step.extender} step=${step} />`)}
    ${
      over &&
      Boolean(cycle.message) &&
      html`<section class="verbatim">
        <h3 class="row">
          <span class="grow">${_("FailedScheduling message of kube-scheduler")}</span>
          ${
            isOffered("decode") &&
            html`<button type="button" class="link" onClick=${() => openDecoder(cycle.message)}>${_("Decode")}</button>`
          }
        </h3>
        <p class="mono" data-message>${cycle.message}</p>
      </section>`
    }
    ${
      hovered &&
      hovered !== pinned &&
      html`<div class="preview"><${NodeAnswer} name=${hovered} moment=${moment} brief /></div>`
    }
  `;
}
