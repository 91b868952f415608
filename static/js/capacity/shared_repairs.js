/** One change for many pods: of their template, of nodes, or new nodes. Each is simulated for all of them. */
import { html } from "../../vendor/preact.js";
import { translateSentence } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { icon } from "../parts/icon.js";
import { mayEdit } from "../access/allowed.js";
import { copyKubectl } from "../repair/repair_actions.js";
import { claimMeaning, claimWord } from "../repair/repair_claims.js";
import { appliedRepair, isAppliedHere } from "../repair/applied_repair.js";
import { AppliedRepairCard } from "../repair/applied_repair_card.js";
import { repairNames } from "../repair/repair_names.js";
import { applyToAll, tryInBranch } from "./shared_repair_actions.js";

const LISTED_EFFECTS = 6; // side effects listed

function Row({ repair, pods }) {
  const effects = repair.side_effects;
  return html`<li data-many=${repair.claim}>
    ${repairNames(repair).map((name, i) => html`<b key=${i} class="block">${name}</b>`)}
    <span class="repair-marks">
      <span class="tag is-pass">✓ ${ngettext("verified for {n} pod", "verified for all {n} pods", pods.length)}</span>
      <span class="tag" title=${claimMeaning(repair.claim)}>${claimWord(repair.claim)}</span>
      <span class="quiet num">${fill(_("cost {n}"), { n: formatNumber(repair.cost) })}</span>
    </span>
    ${effects.slice(0, LISTED_EFFECTS).map(
      (effect, i) => html`<span key=${i} class="block quiet">
        ${effect.pod && html`<span class="mono">${podName(effect.pod)}</span>`} ${translateSentence(effect.what)}
      </span>`,
    )}
    ${effects.length > LISTED_EFFECTS && html`<span class="block quiet">…</span>`}
    <span class="row wrap">
      ${
        mayEdit.value &&
        html`<button type="button" class="btn small" onClick=${() => applyToAll(repair, pods)}>${_("Apply")}</button>
          <button type="button" class="btn small" onClick=${() => tryInBranch(repair, pods)}>
            ${_("Open as a branch")}
          </button>`
      }
      ${
        repair.edits.length > 0 &&
        html`<button type="button" class="btn small" onClick=${() => copyKubectl(repair)}>${_("Copy kubectl")}</button>`
      }
    </span>
  </li>`;
}

/** The choice of pods: all that wait, or those of an owner. */
export function OwnerChoice({ value, owner, change }) {
  return html`<p class="row wrap">
    <label>${_("Pods of")}${" "}<select value=${owner} onChange=${(event) => change(event.currentTarget.value)}>
      <option value="">${_("all pending Pods")} (${formatNumber(value.waiting)})</option>
      ${value.owners.map(
        (entry) =>
          html`<option key=${entry.owner} value=${entry.owner}>${entry.owner} (${formatNumber(entry.pods)})</option>`,
      )}
    </select></label>
  </p>`;
}

export function SharedRepairs({ value }) {
  const done = isAppliedHere() && html`<${AppliedRepairCard} repair=${appliedRepair.value.repair} />`;
  if (!value.pods.length) return html`${done}<p>${_("No pending Pods.")}</p>`;
  if (value.finished && !value.repairs.length)
    return html`${done}<p data-none>
      ${icon("rejected", "is-rejected")}${" "}
      ${ngettext(
        "No known change makes {n} Pod schedulable.",
        "No known change makes all {n} Pods schedulable.",
        value.pods.length,
      )}
    </p>`;
  return html`${done}<ol class="capacity-rows">
    ${value.repairs.map((repair, i) => html`<${Row} key=${i} repair=${repair} pods=${value.pods} />`)}
  </ol>`;
}
