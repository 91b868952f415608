/** Asks before something that cannot be undone. */
import { html } from "../../vendor/preact.js";
import { _ } from "../i18n.js";
import { Dialog, closeDialog } from "./parts/dialog.js";

export function ConfirmDialog({ title, text, action, run }) {
  const foot = html`
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" autofocus onClick=${() => (closeDialog(), run())}>${action}</button>`;
  return html`<${Dialog} title=${title} foot=${foot}><p>${text}</p><//>`;
}
