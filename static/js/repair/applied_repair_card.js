/** The applied repair of one or many pods, with undo, even after they have nodes. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { undoRepair } from "./repair_actions.js";
import { repairNames } from "./repair_names.js";

export function AppliedRepairCard({ repair }) {
  return html`<div class="card" data-applied>
    <p>${icon("pass", "is-pass")} ${_("Applied")}: ${repairNames(repair).join("; ")}</p>
    <p>
      <button type="button" class="btn small" disabled=${Boolean(store.busy.value)} onClick=${undoRepair}>
        ${icon("undo")} ${_("Undo")}
      </button>
    </p>
  </div>`;
}
