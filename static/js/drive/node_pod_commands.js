/** The commands on existing Nodes and Pods, such as cordon, drain and evict (docs/reference/commands-and-trace.md). */
import { _, fill } from "../base/i18n.js";
import { podName } from "../base/format.js";
import { store } from "../base/store.js";
import { refreshNode } from "../cycle/sync.js";
import { get, clusterPath } from "../base/api.js";
import { notify, reportError } from "../base/notices.js";
import { confirmChange } from "../branches/branches.js";
import { performCommand } from "./run.js";

async function changeObject(command, label) {
  if (!(await confirmChange())) return null;
  const ended = await performCommand(command, label);
  if (ended?.state === "done") refreshNode();
  return ended;
}

const nodeCommand = (kind, words) => (node) => changeObject({ kind, node }, fill(words, { node }));
const podCommand =
  (kind, words, more = {}) =>
  (pod) =>
    changeObject({ kind, pod, ...more }, fill(words, { pod: podName(pod) }));

export const cordon = nodeCommand("cordon", _("Cordoning {node}"));
export const uncordon = nodeCommand("uncordon", _("Uncordoning {node}"));
export const drain = nodeCommand("drain", _("Draining {node}"));
export const failNode = nodeCommand("fail_node", _("Making {node} fail"));
export const recoverNode = nodeCommand("recover_node", _("Recovering {node}"));
export const evict = podCommand("evict", _("Evicting {pod}"));
export const succeed = podCommand("finish_pod", _("Ending {pod}"), { phase: "Succeeded" });
export const failPod = podCommand("finish_pod", _("Ending {pod}"), { phase: "Failed" });

/** Move a waiting pod to the active queue. */
export const activate = podCommand("activate", _("Moving {pod} to Active"));

/** Make the next Bind fail, with a notice, because the screen shows it only in the next cycle. */
export async function failNextBinding() {
  const label = _("The next Bind will fail");
  if ((await changeObject({ kind: "fail_binding" }, label))?.state === "done") notify(label);
}

/** Change the taints of a node: `edit(taints)` returns the new list. */
export async function changeTaints(node, edit) {
  try {
    const manifest = await get(clusterPath(store.cluster.peek().id, "objects", "Node", node));
    const taints = edit(manifest.spec?.taints ?? []);
    const spec = { ...manifest.spec, taints };
    await changeObject(
      { kind: "update", objects: [{ ...manifest, spec }], read: [manifest] },
      fill(_("Changing the taints of {node}"), { node }),
    );
  } catch (error) {
    reportError(error);
  }
}
