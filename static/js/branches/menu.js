/** The branch in view, and what undoes the last change, beside the timeline. */
import { html } from "../../vendor/preact.js";
import { redo, undo } from "./undo.js";
import { _, fill } from "../base/i18n.js";
import { textOf } from "../explain/sentence.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { Menu } from "../parts/menu.js";

const BranchItems = lazy(() => import("./items.js").then((module) => module.BranchItems));

export function BranchMenu() {
  const cluster = store.cluster.value;
  const name = cluster.branch?.name ?? cluster.name;
  return html`<${Menu} label=${html`${icon("branch")} <span class="cut branch-name">${name}</span>`}
    title=${_("Branches")} align="end" className="up branch-menu"
  >${(close) => html`<${BranchItems} close=${close} />`}<//>`;
}

export function UndoButton() {
  const { can_undo: back, can_redo: forth } = store.cluster.value;
  return html`
    <button type="button" class="btn icon" aria-label=${_("Undo")}
      title=${back ? `${fill(_("Undo: {what}"), { what: textOf(back, "what") })}  u` : _("Nothing to undo")}
      disabled=${!back} onClick=${undo}
    >${icon("undo")}</button>
    ${
      forth &&
      html`<button type="button" class="btn icon" aria-label=${_("Redo")}
        title=${`${fill(_("Redo: {what}"), { what: textOf(forth, "what") })}  U`}
        onClick=${redo}
      >${icon("redo")}</button>`
    }
  `;
}
