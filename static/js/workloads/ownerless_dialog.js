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
    <button type="button" class="btn danger" onClick=${() => choose(false)}>${_("Delete them")}</button>
    <button type="button" class="btn primary" autofocus onClick=${() => choose(true)}>${_("Keep them")}</button>
  `;
  return html`<${Dialog} title=${_("Missing owners")} foot=${foot}>
    <p>${fill(_("The owners of {kinds} are not in this cluster."), { kinds: formatKindCounts(counts) })}</p>
    <p>${_("The garbage collector deletes objects whose owners are missing, as in a real cluster.")}</p>
    <p>
      ${_(
        "If you keep them, their owner references are removed. A controller with a matching selector may " +
          "adopt them.",
      )}
    </p>
  <//>`;
}
