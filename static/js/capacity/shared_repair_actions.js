/** The commands that make one change for many pods, here or in a branch. */
import { _ } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { performCommand } from "../drive/run.js";
import { forkHere, confirmChange } from "../branches/branches.js";
import { store } from "../base/store.js";
import { undoRepair } from "../repair/repair_actions.js";
import { appliedRepair } from "../repair/applied_repair.js";
import { repairNames } from "../repair/repair_names.js";

/** Send the commands, then let all pods have an attempt; the user can undo it. */
async function runSharedRepair(repair, pods) {
  const name = repairNames(repair)[0];
  for (const command of repair.commands) {
    const ended = await performCommand(command, name);
    if (ended?.state !== "done" || ended.problems?.length) return;
  }
  store.following.value = true;
  const ended = await performCommand({ kind: "run", until: "idle" }, name);
  if (ended?.state !== "done") return;
  appliedRepair.value = { pods, repair, cluster: store.cluster.peek().id };
  notify(`${_("Applied")}: ${repairNames(repair).join("; ")}`, { action: { label: _("Undo"), run: undoRepair } });
}

export async function applyToAll(repair, pods) {
  if (!(await confirmChange())) return;
  closeDialog();
  await runSharedRepair(repair, pods);
}

export async function tryInBranch(repair, pods) {
  closeDialog();
  if (await forkHere(repairNames(repair)[0].slice(0, 100))) await runSharedRepair(repair, pods);
}
