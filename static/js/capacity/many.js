/** One change for many pods: of their template, of nodes, or new nodes. Each is simulated for all of them. */
import { html } from "../../vendor/preact.js";
import { sentence } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, number } from "../base/i18n.js";
import { icon } from "../parts/icon.js";
import { mayEdit } from "../access/allowed.js";
import { copyKubectl } from "../repair/actions.js";
import { claimMeaning, claimWord } from "../repair/claims.js";
import { appliedRepair, isAppliedHere } from "../repair/applied.js";
import { Done } from "../repair/done.js";
import { namesOf } from "../repair/names.js";
import { applyToAll, tryOut } from "./many_actions.js";

const FEW = 6; // side effects listed

function Row({ repair, pods }) {
  const effects = repair.side_effects;
  return html`<li data-many=${repair.claim}>
    ${namesOf(repair).map((name, i) => html`<b key=${i} class="block">${name}</b>`)}
    <span class="repair-marks">
      <span class="tag is-pass">✓ ${ngettext("verified for {n} pod", "verified for all {n} pods", pods.length)}</span>
      <span class="tag" title=${claimMeaning(repair.claim)}>${claimWord(repair.claim)}</span>
      <span class="quiet num">${fill(_("cost {n}"), { n: number(repair.cost) })}</span>
    </span>
    ${effects.slice(0, FEW).map(
      (effect, i) => html`<span key=${i} class="block quiet">
        ${effect.pod && html`<span class="mono">${podName(effect.pod)}</span>`} ${sentence(effect.what)}
      </span>`,
    )}
    ${effects.length > FEW && html`<span class="block quiet">…</span>`}
    <span class="row wrap">
      ${
        mayEdit.value &&
        html`<button type="button" class="btn small" onClick=${() => applyToAll(repair, pods)}>${_("Apply")}</button>
          <button type="button" class="btn small" onClick=${() => tryOut(repair, pods)}>
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
export function Owners({ value, owner, change }) {
  return html`<p class="row wrap">
    <label>${_("Whose pods")}${" "}<select value=${owner} onChange=${(event) => change(event.currentTarget.value)}>
      <option value="">${_("all that wait")} (${number(value.waiting)})</option>
      ${value.owners.map(
        (one) => html`<option key=${one.owner} value=${one.owner}>${one.owner} (${number(one.pods)})</option>`,
      )}
    </select></label>
  </p>`;
}

export function Many({ value }) {
  const done = isAppliedHere() && html`<${Done} repair=${appliedRepair.value.repair} />`;
  if (!value.pods.length) return html`${done}<p>${_("Nothing waits.")}</p>`;
  if (value.finished && !value.repairs.length)
    return html`${done}<p data-none>
      ${icon("rejected", "is-rejected")}${" "}
      ${ngettext(
        "No change of those that are known lets {n} pod in.",
        "No change of those that are known lets all {n} pods in.",
        value.pods.length,
      )}
    </p>`;
  return html`${done}<ol class="capacity-rows">
    ${value.repairs.map((repair, i) => html`<${Row} key=${i} repair=${repair} pods=${value.pods} />`)}
  </ol>`;
}
