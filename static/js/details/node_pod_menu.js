/** The actions of a node or a pod, as a menu beside its name. */
import { html } from "../../vendor/preact.js";
import { isOffered } from "../access/allowed.js";
import { _ } from "../base/i18n.js";
import { nodeActions, podActions } from "./node_pod_actions.js";
import { Menu, MenuItem } from "../parts/menu.js";

const DANGEROUS = new Set(["delete-node", "delete-pod"]);

function Actions({ rows, label }) {
  if (!rows().some(({ id }) => isOffered(id))) return null;
  return html`<${Menu} label=${_("Change")} title=${label} align="end" className="upkeep">
    ${(close) =>
      rows().map((row) => {
        const blocked = row.blocked();
        return html`<${MenuItem} key=${row.id} danger=${DANGEROUS.has(row.id)} hint=${blocked || row.keys[0]?.shown}
          disabled=${Boolean(blocked)} onPick=${() => (close(), row.run())}
        >${row.label}<//>`;
      })}
  <//>`;
}

export const NodeActions = () => html`<${Actions} rows=${nodeActions} label=${_("Actions for this node")} />`;
export const PodActions = () => html`<${Actions} rows=${podActions} label=${_("Actions for this Pod")} />`;
