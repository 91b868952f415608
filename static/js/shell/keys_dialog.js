/** Every action with its keys, and the switch for single-letter keys. */
import { html } from "../../vendor/preact.js";
import { isOffered } from "../access/allowed.js";
import { _ } from "../base/i18n.js";
import { actions } from "../palette/action_table.js";
import { preferences } from "../base/preferences.js";
import { startTour } from "../welcome/tour.js";
import { Dialog } from "../parts/dialog.js";
import { DocsLink } from "../parts/docs_link.js";
import { closeDialog } from "../base/screen.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./keys.css", import.meta.url));

function Action({ action, single }) {
  const off = action.keys.length > 0 && action.keys.every((key) => key.single) && !single;
  return html`<div class=${off ? "off" : ""} data-action=${action.id}>
    <dt>${action.keys.map((key) => html`<kbd key=${key.shown}>${key.shown}</kbd> `)}</dt>
    <dd>${action.label}</dd>
  </div>`;
}

export function KeysDialog() {
  const single = preferences.singleKeys.value;
  const all = actions().filter(({ id }) => isOffered(id));
  const groups = [...new Set(all.map((action) => action.group))];
  return html`<${Dialog} title=${_("Keyboard shortcuts")} wide>
    <p class="row wrap">
      <span class="quiet grow">${_("You can also find every action in the command palette:")} <kbd>Ctrl+K</kbd></span>
      <${DocsLink} to="">${_("Documentation")}<//>
      ${
        isOffered("tour") &&
        html`<button type="button" class="btn small" onClick=${() => (closeDialog(), requestAnimationFrame(startTour))}>
          ${_("Take the tour")}
        </button>`
      }
    </p>
    <div class="key-groups">
      ${groups.map(
        (name) => html`<section key=${name}>
          <h3 class="caps">${name}</h3>
          <dl class="keys">
            ${all
              .filter((action) => action.group === name)
              .map((action) => html`<${Action} key=${action.id} action=${action} single=${single} />`)}
          </dl>
        </section>`,
      )}
      <section>
        <h3 class="caps">${_("Within a view")}</h3>
        <dl class="keys">
          <div>
            <dt><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd></dt>
            <dd>${_("move and pin, in the map, the matrix and the table")}</dd>
          </div>
          <div><dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>${_("move through the timeline; open and close a row")}</dd></div>
        </dl>
      </section>
    </div>
    <label class="row check">
      <input type="checkbox" checked=${single}
        onChange=${(event) => (preferences.singleKeys.value = event.currentTarget.checked)}
      />
      ${_("Single keys work (switch them off if a screen reader or speech input needs them)")}
    </label>
  <//>`;
}
