/** Menu items for the branches of the open cluster and their actions. */
import { html } from "../../vendor/preact.js";
import { branches, forkHere } from "./branches.js";
import { openCluster } from "../clusters/clusters.js";
import { _, fill, number } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { MenuItem } from "../parts/menu.js";

/** Return every branch below its parent: [{branch, depth}]. */
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

export const BranchItems = ({ close }) => html`
  <p class="menu-head">${_("Branches")}</p>
  <div class="menu-list scroll">
    ${asTree(branches.value).map(
      ({ branch, depth }) => html`<${MenuItem} key=${branch.id} current=${branch.id === store.cluster.value.id}
        hint=${forkWord(branch)} onPick=${() => (close(), openCluster(branch.id).catch(() => {}))}
      ><span style=${indent(depth)}>${branch.name}</span><//>`,
    )}
  </div>
  <hr />
  <${MenuItem} hint="f" onPick=${() => (close(), forkHere())}>${_("Fork here")}<//>
  <${MenuItem} hint="g" onPick=${() => (close(), openDialog("branches"))}>${_("Rename, delete, compare")}<//>
`;
