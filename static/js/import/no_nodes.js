/** A cluster without nodes: the import in progress, or ways to add some. */
import { html } from "../../vendor/preact.js";
import { _, ngettext } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { isOffered } from "../access/allowed.js";

/** The counts of an import in progress, in place of the offer to create nodes. */
function Coming({ counts }) {
  const nodes = ngettext("{n} node", "{n} nodes", counts.Node ?? 0);
  const pods = ngettext("{n} pod", "{n} pods", counts.Pod ?? 0);
  return html`<div class="empty" role="status" data-coming>
    <p><b>${_("Importing")}</b>${counts.Node || counts.Pod ? `: ${nodes}, ${pods}` : ""}</p>
    <p class="quiet">${_("Nodes appear here when the worker has imported them.")}</p>
  </div>`;
}

function Empty() {
  return html`<div class="empty">
    <p>${_("This cluster has no nodes yet.")}</p>
    <p class="row wrap">
      ${
        isOffered("new") &&
        html`<button type="button" class="btn"
          onClick=${() => openDialog("new", { template: "node" })}
        >${_("New node")}</button>`
      }
      ${
        isOffered("import") &&
        html`<button type="button" class="btn" onClick=${() => openDialog("import")}>
          ${_("Import nodes and pods")}
        </button>`
      }
    </p>
  </div>`;
}

export const NoNodes = () =>
  store.importCounts.value ? html`<${Coming} counts=${store.importCounts.value} />` : html`<${Empty} />`;
