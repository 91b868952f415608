/**
 * Branches: other pasts of the same cluster. Each is a cluster of its own; making one never changes the one it comes
 * from.
 */
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

/** The question whether to go on in a branch: {answer(choice)}, null while nobody is asked. */
export const pastQuestion = signal(null);

export async function loadBranches() {
  const id = store.cluster.peek()?.id;
  if (!id) return;
  const found = await get(of(id, "branches"));
  if (store.cluster.peek()?.id === id) branches.value = found;
}

/** Read the tree again whenever another cluster is opened or this one is renamed. */
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

/** Is it the newest moment that is looked at? It is also while its cycle is still on its way to the screen. */
const isNewest = () => store.following.peek() || atHead.peek();

/** The moment on the screen, as a fork wants it. */
const momentNow = () => (isNewest() ? "now" : { cycle: store.shown.peek().record.cycle.number });

/** Fork at the moment on the screen and open the new branch; returns whether it worked. */
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

/** Delete a branch, after asking. The server says when others come from it. */
export function askDeleteBranch(branch) {
  openDialog("confirm", {
    title: fill(_("Delete {name}?"), { name: branch.name }),
    text: _("Its objects, profiles and history go with it. This cannot be undone."),
    action: _("Delete"),
    run: () => leave(branch).catch(report),
  });
}

/** Delete a branch; whoever looks at it is led to the one that it comes from. */
async function leave(branch) {
  const parent = branch.parent ?? branch.branch?.parent;
  await remove(of(branch.id));
  if (store.cluster.peek()?.id === branch.id && parent) await openCluster(parent);
  await (store.cluster.peek()?.id === branch.id ? forgetCluster(branch.id) : loadClusters());
  await loadBranches();
}

/** {common, divergence, moved, moved_total, counts} of the open cluster and another branch. */
export const compareWith = (other) => get(`${of(store.cluster.peek().id, "branches", "compare")}?with=${other}`);

/**
 * May a change be made? At the newest moment yes. In the past it is asked first: a branch from here, the newest moment,
 * or not at all. Nothing that has happened is ever changed.
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
