/** The question before controllers start: what to do with objects whose owners are missing. */
import { html } from "../../vendor/preact.js";
import { formatKindCounts } from "../base/format.js";
import { _, fill } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { Dialog } from "../parts/dialog.js";
import { startAllControllers } from "./controller_actions.js";

/** `counts`: number of objects per kind. */
export function OwnerlessDialog({ counts }) {
  const choose = (keep) => (closeDialog(), startAllControllers({ keep }));
  const foot = html`
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn danger" onClick=${() => choose(false)}>${_("Have them deleted")}</button>
    <button type="button" class="btn primary" autofocus onClick=${() => choose(true)}>${_("Keep them")}</button>
  `;
  return html`<${Dialog} title=${_("Owners that are not here")} foot=${foot}>
    <p>${fill(_("The owners of {kinds} are not in this cluster."), { kinds: formatKindCounts(counts) })}</p>
    <p>${_("The garbage collector deletes what has lost its owners, as in a real cluster.")}</p>
    <p>${_("Kept, they have no owner any more; a controller whose selector fits may adopt them.")}</p>
  <//>`;
}
