/** Menu items for the branches of the open cluster and their actions. */
import { html } from "../../vendor/preact.js";
import { branches, forkHere } from "./branches.js";
import { openCluster } from "../clusters/clusters.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { MenuItem } from "../parts/menu.js";

/** Return every branch below its parent: [{branch, depth}]. */
export function listTree(all) {
  const ids = new Set(all.map((branch) => branch.id));
  const listBelow = (parent, depth) =>
    all
      .filter((branch) => (ids.has(branch.parent) ? branch.parent : null) === parent)
      .flatMap((branch) => [{ branch, depth }, ...listBelow(branch.id, depth + 1)]);
  return listBelow(null, 0);
}

const indent = (depth) => ({ paddingLeft: `${depth * 14}px` });

export const forkText = (branch) =>
  branch.fork ? fill(_("from cycle {n}"), { n: formatNumber(branch.fork.cycle) }) : _("the beginning");

export const BranchItems = ({ close }) => html`
  <p class="menu-head">${_("Branches")}</p>
  <div class="menu-list scroll">
    ${listTree(branches.value).map(
      ({ branch, depth }) => html`<${MenuItem} key=${branch.id} current=${branch.id === store.cluster.value.id}
        hint=${forkText(branch)} onPick=${() => (close(), openCluster(branch.id).catch(() => {}))}
      ><span style=${indent(depth)}>${branch.name}</span><//>`,
    )}
  </div>
  <hr />
  <${MenuItem} hint="f" onPick=${() => (close(), forkHere())}>${_("Fork here")}<//>
  <${MenuItem} hint="g" onPick=${() => (close(), openDialog("branches"))}>${_("Rename, delete, compare")}<//>
`;
