/** The dialog for the taints of a node: list, add, remove. */
import { html, useState } from "../../vendor/preact.js";
import { changeTaints } from "../drive/node_pod_commands.js";
import { _, fill } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

const taintText = (taint) => `${taint.key}${taint.value ? `=${taint.value}` : ""}:${taint.effect}`;

export function TaintDialog({ node }) {
  const [taint, setTaint] = useState({ key: "", value: "", effect: EFFECTS[0] });
  const { names, taints } = store.nodes.value ?? { names: [], taints: [] };
  const currentTaints = taints?.[names.indexOf(node)] ?? [];
  const setPart = (part) => (event) => setTaint({ ...taint, [part]: event.currentTarget.value.trim() });
  const addTaint = (event) => {
    event.preventDefault();
    const { key, value, effect } = taint;
    if (!key) return;
    closeDialog();
    changeTaints(node, (old) => [
      ...old.filter((other) => other.key !== key || other.effect !== effect),
      { key, ...(value ? { value } : {}), effect },
    ]);
  };
  const foot = html`
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
    <button type="submit" form="taint" class="btn primary" disabled=${!taint.key}>${_("Add")}</button>
  `;
  return html`<${Dialog} title=${fill(_("Taints of {node}"), { node })} foot=${foot}>
    ${
      currentTaints.length > 0 &&
      html`<ul>
        ${currentTaints.map(
          (text) => html`<li key=${text} class="row">
            <span class="mono grow">${text}</span>
            <button type="button" class="btn bare icon" aria-label=${fill(_("remove {taint}"), { taint: text })}
              title=${fill(_("remove {taint}"), { taint: text })}
              onClick=${() => changeTaints(node, (old) => old.filter((one) => taintText(one) !== text))}
            >${icon("close")}</button>
          </li>`,
        )}
      </ul>`
    }
    <form id="taint" class="form-row" onSubmit=${addTaint}>
      <label class="form-cell">
        <span class="quiet">${_("key")}</span>
        <input type="text" class="small mono" required value=${taint.key} placeholder="example.com/maintenance"
          onInput=${setPart("key")}
        />
      </label>
      <label class="form-cell">
        <span class="quiet">${_("value")}</span>
        <input type="text" class="small mono" value=${taint.value} onInput=${setPart("value")} />
      </label>
      <label class="form-cell">
        <span class="quiet">${_("effect")}</span>
        <select class="small" value=${taint.effect} onChange=${setPart("effect")}>
          ${EFFECTS.map((effect) => html`<option key=${effect}>${effect}</option>`)}
        </select>
      </label>
    </form>
    <p class="quiet">
      ${_("A NoExecute taint evicts no Pods here. To simulate the taint manager, use “make the node fail”.")}
    </p>
  <//>`;
}
