/** A confirmation before a serious action. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { Dialog } from "./dialog.js";
import { closeDialog } from "../base/screen.js";

/** `danger`: data is deleted, so Enter does not confirm. */
export function ConfirmDialog({ title, text, action, run, danger = false }) {
  const foot = html`
    <button type="button" class="btn" autofocus=${danger} onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class=${danger ? "btn danger" : "btn primary"} autofocus=${!danger}
      onClick=${() => (closeDialog(), run())}
    >${action}</button>
  `;
  return html`<${Dialog} title=${title} foot=${foot}><p>${text}</p><//>`;
}
