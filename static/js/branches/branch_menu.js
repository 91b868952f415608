/** The menu of branches, beside the timeline. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { Menu } from "../parts/menu.js";

const BranchItems = lazy(() => import("./branch_items.js").then((module) => module.BranchItems));

export function BranchMenu() {
  const cluster = store.cluster.value;
  const name = cluster.branch?.name ?? cluster.name;
  return html`<${Menu} label=${html`${icon("branch")} <span class="cut branch-name">${name}</span>`}
    title=${_("Branches")} align="end" className="up branch-menu"
  >${(close) => html`<${BranchItems} close=${close} />`}<//>`;
}
