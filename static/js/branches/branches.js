/** Branches: other pasts of the same cluster. Each is its own cluster; a new one never changes its parent. */
import { effect, signal } from "../../vendor/preact.js";
import { explainRefusal, mayEdit } from "../access/allowed.js";
import { get, of, patch, post, remove } from "../base/api.js";
import { readOnly } from "../access/class_membership.js";
import { _, fill } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { atHead, isWhyNotJump, store } from "../base/store.js";
import { storeChanged } from "../cycle/sync.js";
import { forgetCluster, loadClusters, openCluster } from "../clusters/clusters.js";

// the tree of the open cluster: [{id, name, parent, fork, revision, t, cycle, created, current}]
export const branches = signal([]);

/** The open question whether to continue in a branch: {answer(choice)}; null for none. */
export const pastQuestion = signal(null);

export async function loadBranches() {
  const id = store.cluster.peek()?.id;
  if (!id) return;
  const found = await get(of(id, "branches"));
  if (store.cluster.peek()?.id === id) branches.value = found;
}

/** Read the tree again whenever another cluster opens or this one is renamed. */
export function followBranches() {
  let shown = null;
  effect(() => {
    const cluster = store.cluster.value;
    const key = cluster && `${cluster.id} ${cluster.name}`;
    if (key === shown) return;
    shown = key;
    branches.value = [];
    if (cluster && !readOnly(cluster.id)) loadBranches().catch(() => {});
  });
}

/** Return true at the newest moment, also while its cycle is still loading. */
const isNewest = () => store.following.peek() || atHead.peek();

/** Return the moment on the screen in the form of the fork API. */
const momentNow = () => (isNewest() ? "now" : { cycle: store.shown.peek().record.cycle.number });

/** Fork at the moment on the screen and open the new branch; return true if it worked. */
export async function forkHere(name) {
  try {
    const made = await post(of(store.cluster.peek().id, "branches"), { at: momentNow(), ...(name ? { name } : {}) });
    await openCluster(made.id);
    await loadClusters();
    notify(fill(_("Branch {name} goes on from here. The one it comes from stays as it was."), { name: made.name }));
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

export async function renameBranch(id, name) {
  try {
    storeChanged(id, await patch(of(id), { name }), ["name", "branch"]);
    await Promise.all([loadClusters(), loadBranches()]);
  } catch (error) {
    report(error);
  }
}

/** Delete a branch after a confirmation. The server refuses if other branches depend on it. */
export function askDeleteBranch(branch) {
  openDialog("confirm", {
    title: fill(_("Delete {name}?"), { name: branch.name }),
    text: _("Its objects, profiles and history go with it. This cannot be undone."),
    action: _("Delete"),
    run: () => leave(branch).catch(report),
  });
}

/** Delete a branch. Pages that show it change to its parent. */
async function leave(branch) {
  const parent = branch.parent ?? branch.branch?.parent;
  await remove(of(branch.id));
  if (store.cluster.peek()?.id === branch.id && parent) await openCluster(parent);
  await (store.cluster.peek()?.id === branch.id ? forgetCluster(branch.id) : loadClusters());
  await loadBranches();
}

/** Fetch {common, divergence, moved, moved_total, counts} of the open cluster and another branch. */
export const compareWith = (other) => get(`${of(store.cluster.peek().id, "branches", "compare")}?with=${other}`);

/**
 * Return true if a change is possible now. In the past, the user first chooses: a new branch here, the newest moment,
 * or cancel. A recorded event never changes.
 */
export async function mayChange() {
  if (!mayEdit.peek()) {
    explainRefusal();
    return false;
  }
  if (isNewest() || isWhyNotJump()) return true;
  const choice = await new Promise((answer) => (pastQuestion.value = { answer }));
  pastQuestion.value = null;
  if (choice === "fork") return forkHere();
  return choice === "now";
}
