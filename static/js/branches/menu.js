/** The branch in view, and what can be done with branches, beside the timeline. */
import { html } from "../../vendor/preact.js";
import { branches, forkHere } from "./branches.js";
import { openCluster } from "../cluster/clusters.js";
import { redo, undo } from "./undo.js";
import { _, fill, number } from "../base/i18n.js";
import { textOf } from "../explain/sentence.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { Menu, MenuItem } from "../parts/menu.js";

/** Every branch below the one that it was forked from: [{branch, depth}]. */
export function asTree(all) {
  const known = new Set(all.map((branch) => branch.id));
  const below = (parent, depth) =>
    all
      .filter((branch) => (known.has(branch.parent) ? branch.parent : null) === parent)
      .flatMap((branch) => [{ branch, depth }, ...below(branch.id, depth + 1)]);
  return below(null, 0);
}

const indent = (depth) => ({ paddingLeft: `${depth * 14}px` });

export const forkWord = (branch) =>
  branch.fork ? fill(_("from cycle {n}"), { n: number(branch.fork.cycle) }) : _("the beginning");

export function BranchMenu() {
  const cluster = store.cluster.value;
  const all = branches.value;
  const name = cluster.branch?.name ?? cluster.name;
  const manage = (close) => (close(), openDialog("branches"));
  return html`<${Menu} label=${html`${icon("branch")} <span class="cut branch-name">${name}</span>`}
    title=${_("Branches")} align="end" className="up branch-menu"
  >
    ${(close) => html`
      <p class="menu-head">${_("Branches")}</p>
      <div class="menu-list scroll">
        ${asTree(all).map(
          ({ branch, depth }) => html`<${MenuItem} key=${branch.id} current=${branch.id === cluster.id}
            hint=${forkWord(branch)} onPick=${() => (close(), openCluster(branch.id).catch(() => {}))}
          ><span style=${indent(depth)}>${branch.name}</span><//>`,
        )}
      </div>
      <hr />
      <${MenuItem} hint="f" onPick=${() => (close(), forkHere())}>${_("Fork here")}<//>
      <${MenuItem} hint="g" onPick=${() => manage(close)}>${_("Rename, delete, compare")}<//>
    `}
  <//>`;
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
