/** Parts that both matrices share: the switch and the last column. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { Segments } from "../parts/segments.js";

export const CompleteSwitch = () => html`<${Segments} label=${_("Plugin results")} value=${preferences.complete.value}
  onPick=${(value) => (preferences.complete.value = value)}
  options=${[
    [false, _("as run"), _("As in kube-scheduler: a node drops out at its first failing plugin")],
    [true, _("complete"), _("All plugins on all nodes, ignoring early exits")],
  ]}
/>`;

/** Return the last column, the sum of all scores; none without scores. */
export const totalColumn = (scores, cell) =>
  scores.length
    ? [{ id: "total", width: "52px", label: _("Total"), className: "num total-cell", head: "Σ", cell }]
    : [];
