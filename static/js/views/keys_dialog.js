/** The keys, and the switch for those that are single letters. */
import { html } from "../../vendor/preact.js";
import { _ } from "../i18n.js";
import { keyTable } from "../keys.js";
import { preferences } from "../preferences.js";
import { Dialog } from "./parts/dialog.js";

export function KeysDialog() {
  const single = preferences.singleKeys.value;
  return html`<${Dialog} title=${_("Keys")}>
    <dl class="keys">
      ${keyTable().map((row) => html`<div key=${row.shown} class=${row.single && !single ? "off" : ""}><dt><kbd>${row.shown}</kbd></dt><dd>${row.does}</dd></div>`)}
      <div><dt><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd></dt><dd>${_("move and pin, in the map, the matrix and the table")}</dd></div>
    </dl>
    <label class="row check"><input type="checkbox" checked=${single} onChange=${(event) => (preferences.singleKeys.value = event.currentTarget.checked)} />
      ${_("Single keys work (switch them off if a screen reader or speech input needs them)")}</label>
  <//>`;
}
