/** Preemption by candidate: victims, reprieved pods, PodDisruptionBudgets, and the deciding criterion. */
import { html, useState } from "../../vendor/preact.js";
import { hover, openSideTab, pinNode, pinPod } from "../cycle/selection.js";
import { answerOf } from "./cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { postFilterSteps } from "../cycle/frame.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { useFrame } from "../cycle/panel_frames.js";
import { Answer } from "../parts/answer.js";
import { icon } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";
import { Ranges } from "./reason_tree.js";

const LISTED_CANDIDATES = 8;

const criterionWord = (id) =>
  ({
    pdbViolations: _("PDBs violated"),
    highestPriority: _("highest priority"),
    prioritySum: _("sum of priorities"),
    victims: _("victims"),
    start: _("latest start"),
  })[id] ?? id;

/** Return costs in a readable form; the sum of priorities includes an offset of 2³¹ per pod. */
function formatCost(id, value, count) {
  if (value === null || value === undefined) return "–";
  if (id === "prioritySum") return formatNumber(value - count * 2 ** 31);
  if (id === "start") return _("see below");
  return formatNumber(value);
}

function Pods({ pods, mark, tone, empty }) {
  if (!pods.length) return html`<p class="quiet">${empty}</p>`;
  return html`<ul class="victims">
    ${pods.map(
      (pod) => html`<li key=${pod.pod} class="row">
        ${icon(mark, tone)}
        <button type="button" class="link name grow cut" title=${pod.pod}
          onClick=${() => (pinPod(pod.pod), openSideTab("pod"))}
        >${podName(pod.pod)}</button>
        ${
          pod.budgets.length > 0 &&
          html`<span class="is-rejected"
            title=${fill(_("protected by {budgets}"), { budgets: pod.budgets.join(", ") })}
          >${_("PDB")}</span>`
        }
        <span class="quiet num">${fill(_("prio {n}"), { n: formatNumber(pod.priority) })}</span>
      </li>`,
    )}
  </ul>`;
}

function Candidate({ candidate, criteria }) {
  const [open, setOpen] = useState(candidate.chosen);
  const ids = criteria.map((criterion) => criterion.id);
  return html`<li class=${`candidate ${candidate.chosen ? "chosen" : ""}`} data-candidate=${candidate.node}>
    <div class="row">
      <button type="button" class="btn bare icon" aria-expanded=${open}
        aria-label=${fill(_("Details of {node}"), { node: candidate.node })} onClick=${() => setOpen(!open)}
      >${icon(open ? "down" : "right")}</button>
      ${icon(candidate.chosen ? "chosen" : "rejected", candidate.chosen ? "is-chosen" : "is-unseen")}
      <button type="button" class="link name grow cut" onClick=${() => pinNode(candidate.node)}
        onPointerEnter=${() => hover({ node: candidate.node })} onPointerLeave=${() => hover({ node: null })}
      >${candidate.node}</button>
      <span class="quiet">
        ${
          candidate.chosen
            ? _("nominated")
            : candidate.outBy
              ? fill(_("eliminated by {what}"), { what: criterionWord(candidate.outBy) })
              : _("lost the random choice")
        }
      </span>
    </div>
    ${
      open &&
      html`<div class="candidate-body">
        <h4 class="caps">${_("Evicted")}</h4>
        <${Pods} pods=${candidate.victims} mark="rejected" tone="is-rejected" empty=${_("none")} />
        <h4 class="caps">${_("Spared")}</h4>
        <${Pods} pods=${candidate.reprieved} mark="pass" tone="is-pass"
          empty=${_("no Pods of lower priority")}
        />
        <dl class="facts">
          ${ids.map(
            (id) => html`
              <dt key=${id} class=${candidate.outBy === id ? "is-rejected" : ""}>${criterionWord(id)}</dt>
              <dd class="num">
                ${
                  id === "start"
                    ? (candidate.victims[0]?.started ?? "–")
                    : formatCost(id, candidate.costs[id], candidate.victims.length)
                }
              </dd>
            `,
          )}
        </dl>
      </div>`
    }
  </li>`;
}

/** The criteria in order, and the number of candidates that each left. */
function Criteria({ criteria, candidates }) {
  let before = candidates;
  return html`<ol class="criteria">
    ${criteria.map((criterion) => {
      const text = fill(_("{before} → {left}"), { before: formatNumber(before), left: formatNumber(criterion.left) });
      before = criterion.left;
      return html`<li key=${criterion.id} class=${criterion.decides ? "decides" : ""} data-criterion=${criterion.id}>
        <span class="grow">${translateSentence(criterion.what)}</span>
        <span class="num mono">${text}</span>
        ${criterion.decides && html`<b class="is-chosen">${_("decides")}</b>`}
      </li>`;
    })}
  </ol>`;
}

function PreemptionAnswer({ answer }) {
  const [all, setAll] = useState(false);
  if (!answer) return html`<p class="quiet">${_("Preemption did not run in this cycle.")}</p>`;
  const shown = all ? answer.candidates : answer.candidates.slice(0, LISTED_CANDIDATES);
  return html`<div class="preemption" data-preemption>
    ${answer.why && html`<p data-why>${translateSentence(answer.why)}.</p>`}
    ${
      !answer.candidates.length &&
      html`<p>${answer.meaning ? `${translateSentence(answer.meaning)}.` : answer.message}</p>`
    }
    <p class="quiet">
      ${ngettext("Evicting pods could help on {n} node", "Evicting pods could help on {n} nodes", answer.nodes.helpful)}
      ${
        answer.candidates.length
          ? `; ${[
              ngettext("{n} candidate is enough", "{n} candidates are enough", answer.nodes.wanted),
              ngettext("{n} was found", "{n} were found", answer.nodes.candidates),
            ].join(", ")}`
          : ""
      }
      .
    </p>
    ${
      answer.criteria.length > 0 &&
      answer.nodes.candidates > 1 &&
      html`
        <h4 class="caps">${_("Deciding criterion")}</h4>
        <${Criteria} criteria=${answer.criteria} candidates=${answer.nodes.candidates} />
      `
    }
    ${
      shown.length > 0 &&
      html`
        <h4 class="caps">${ngettext("{n} candidate", "{n} candidates", answer.nodes.candidates)}</h4>
        <ul class="candidates">
          ${shown.map(
            (candidate) =>
              html`<${Candidate} key=${candidate.node} candidate=${candidate} criteria=${answer.criteria} />`,
          )}
        </ul>
      `
    }
    ${
      answer.candidates.length > shown.length &&
      html`<button type="button" class="link" onClick=${() => setAll(true)}>
        ${ngettext("{n} more", "{n} more", answer.candidates.length - shown.length)}
      </button>`
    }
    ${
      answer.omitted > 0 &&
      html`<p class="quiet">
        ${ngettext("{n} more candidate is not listed", "{n} more candidates are not listed", answer.omitted)}
      </p>`
    }
    ${
      answer.notHelpful.count > 0 &&
      html`<details>
        <summary>
          ${ngettext(
            "{n} node where evicting does not help",
            "{n} nodes where evicting does not help",
            answer.notHelpful.count,
          )}
        </summary>
        <${Ranges} nodes=${answer.notHelpful} />
      </details>`
    }
    ${
      answer.withoutVictims.count > 0 &&
      html`<details>
        <summary>
          ${ngettext(
            "{n} node without pods of lower priority",
            "{n} nodes without pods of lower priority",
            answer.withoutVictims.count,
          )}
        </summary>
        <${Ranges} nodes=${answer.withoutVictims} />
      </details>`
    }
    ${
      answer.clearedNominations.length > 0 &&
      html`<p class="quiet">
        ${fill(_("Lost their nomination: {pods}"), { pods: answer.clearedNominations.map(podName).join(", ") })}
      </p>`
    }
  </div>`;
}

export function Preemption() {
  const moment = useFrame();
  const steps = moment ? postFilterSteps(moment) : [];
  if (!steps.length)
    return html`<p class="empty quiet">
      ${_("Preemption runs only when no node is feasible. Its candidates and victims appear here.")}
    </p>`;
  return html`
    <h3 class="side-title row">
      <span class="grow">${_("Preemption")}</span> <${GlossaryButton} kind="plugin" name="DefaultPreemption" />
    </h3>
    ${steps.map(
      (step, index) => html`<p key=${index} class="quiet">PostFilter ${step.plugin ?? step.extender}: ${step.code}</p>`,
    )}
    <${Answer} answer=${answerOf(moment.record.cycle.number, "preemption")}>
      ${({ preemption }) => html`<${PreemptionAnswer} answer=${preemption} />`}
    <//>
  `;
}
