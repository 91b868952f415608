/** The commands that make one change for many pods, here or in a branch. */
import { _ } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { perform } from "../drive/run.js";
import { forkHere, mayChange } from "../branches/branches.js";
import { store } from "../base/store.js";
import { undoRepair } from "../repair/actions.js";
import { appliedRepair } from "../repair/applied.js";
import { namesOf } from "../repair/names.js";

/** Send the commands, then let all pods have an attempt; the user can undo it. */
async function carryOut(repair, pods) {
  const name = namesOf(repair)[0];
  for (const command of repair.commands) {
    const ended = await perform(command, name);
    if (ended?.state !== "done" || ended.problems?.length) return;
  }
  store.following.value = true;
  const ended = await perform({ kind: "run", until: "idle" }, name);
  if (ended?.state !== "done") return;
  appliedRepair.value = { pods, repair, cluster: store.cluster.peek().id };
  notify(`${_("Applied")}: ${namesOf(repair).join("; ")}`, { action: { label: _("Undo"), run: undoRepair } });
}

export async function applyToAll(repair, pods) {
  if (!(await mayChange())) return;
  closeDialog();
  await carryOut(repair, pods);
}

export async function tryOut(repair, pods) {
  closeDialog();
  if (await forkHere(namesOf(repair)[0].slice(0, 100))) await carryOut(repair, pods);
}
