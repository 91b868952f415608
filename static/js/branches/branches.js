/** Branches: other pasts of the same cluster. Each is its own cluster; a new one never changes its parent. */
import { effect, signal } from "../../vendor/preact.js";
import { explainRefusal, mayEdit } from "../access/allowed.js";
import { get, clusterPath, patch, post, remove } from "../base/api.js";
import { isReadOnly } from "../access/class_membership.js";
import { _, fill } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
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
  const tree = await get(clusterPath(id, "branches"));
  if (store.cluster.peek()?.id === id) branches.value = tree;
}

/** Read the tree again whenever another cluster opens or this one is renamed. */
export function followBranches() {
  let loadedKey = null;
  effect(() => {
    const cluster = store.cluster.value;
    const key = cluster && `${cluster.id} ${cluster.name}`;
    if (key === loadedKey) return;
    loadedKey = key;
    branches.value = [];
    if (cluster && !isReadOnly(cluster.id)) loadBranches().catch(() => {});
  });
}

/** Return true at the newest moment, also while its cycle is still loading. */
const isAtNewest = () => store.following.peek() || atHead.peek();

/** Return the moment on the screen in the form of the fork API. */
const forkPoint = () => (isAtNewest() ? "now" : { cycle: store.shown.peek().record.cycle.number });

/** Fork at the moment on the screen and open the new branch; return true if it worked. */
export async function forkHere(name) {
  try {
    const branch = await post(clusterPath(store.cluster.peek().id, "branches"), {
      at: forkPoint(),
      ...(name ? { name } : {}),
    });
    await openCluster(branch.id);
    await loadClusters();
    notify(fill(_("Branch {name} continues from here. Its origin does not change."), { name: branch.name }));
    return true;
  } catch (error) {
    reportError(error);
    return false;
  }
}

export async function renameBranch(id, name) {
  try {
    storeChanged(id, await patch(clusterPath(id), { name }), ["name", "branch"]);
    await Promise.all([loadClusters(), loadBranches()]);
  } catch (error) {
    reportError(error);
  }
}

/** Delete a branch after a confirmation. The server refuses if other branches depend on it. */
export function confirmDeleteBranch(branch) {
  openDialog("confirm", {
    title: fill(_("Delete {name}?"), { name: branch.name }),
    text: _("This deletes its objects, profiles and history. You cannot undo it."),
    action: _("Delete"),
    run: () => deleteBranch(branch).catch(reportError),
  });
}

/** Delete a branch. Pages that show it change to its parent. */
async function deleteBranch(branch) {
  const parent = branch.parent ?? branch.branch?.parent;
  await remove(clusterPath(branch.id));
  if (store.cluster.peek()?.id === branch.id && parent) await openCluster(parent);
  await (store.cluster.peek()?.id === branch.id ? forgetCluster(branch.id) : loadClusters());
  await loadBranches();
}

/** Fetch {common, divergence, moved, moved_total, counts} of the open cluster and another branch. */
export const compareWith = (other) =>
  get(`${clusterPath(store.cluster.peek().id, "branches", "compare")}?with=${other}`);

/**
 * Return true if a change is possible now. In the past, the user first chooses: a new branch here, the newest moment,
 * or cancel. A recorded event never changes.
 */
export async function confirmChange() {
  if (!mayEdit.peek()) {
    explainRefusal();
    return false;
  }
  if (isAtNewest() || isWhyNotJump()) return true;
  const choice = await new Promise((answer) => (pastQuestion.value = { answer }));
  pastQuestion.value = null;
  if (choice === "fork") return forkHere();
  return choice === "now";
}
