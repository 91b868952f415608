/** The header's learning menu: lessons, gallery, classes. */
import { html } from "../../vendor/preact.js";
import { isOffered } from "../access/allowed.js";
import { _ } from "../base/i18n.js";
import { classActions } from "../palette/class_rows.js";
import { openDialog } from "../base/screen.js";
import { Menu, MenuItem } from "../parts/menu.js";

const PLACES = () =>
  [
    ["lessons", _("Lessons")],
    ["gallery", _("Gallery")],
  ].filter(([id]) => isOffered(id));

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The two ways into a class. */
function classItems(close) {
  const actions = classActions().filter(({ id }) => ["class-open", "class-join"].includes(id) && isOffered(id));
  return actions.map(
    (row) =>
      html`<${MenuItem} key=${row.id} disabled=${Boolean(row.blocked())} hint=${row.blocked()}
        onPick=${() => (close(), row.run())}
      >${capital(row.label)}<//>`,
  );
}

/** Return the same as menu items for a narrow header. */
export const learningItems = (close) => [
  ...PLACES().map(([id, label]) => html`<${MenuItem} key=${id} onPick=${() => (openDialog(id), close())}>${label}<//>`),
  ...classItems(close),
];

/** `roomy`: one button each; else one menu. */
export function Learning({ roomy }) {
  if (!roomy) return html`<${Menu} className="learning" label=${_("Learn")} align="end">${learningItems}<//>`;
  const some = classItems(() => {}).length > 0;
  return html`
    ${PLACES().map(
      ([id, label]) => html`<button type="button" key=${id} class="btn" onClick=${() => openDialog(id)}>
        ${label}
      </button>`,
    )}
    ${some && html`<${Menu} className="learning" label=${_("Class")} align="end">${classItems}<//>`}
  `;
}
