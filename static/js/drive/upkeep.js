/** The commands on existing Nodes and Pods, such as cordon, drain and evict (docs/reference/commands-and-trace.md). */
import { _, fill } from "../base/i18n.js";
import { podName } from "../base/format.js";
import { store } from "../base/store.js";
import { refreshNode } from "../cycle/sync.js";
import { get, of } from "../base/api.js";
import { notify, report } from "../base/notices.js";
import { mayChange } from "../branches/branches.js";
import { perform } from "./run.js";

async function change(command, label) {
  if (!(await mayChange())) return null;
  const ended = await perform(command, label);
  if (ended?.state === "done") refreshNode();
  return ended;
}

const onNode = (kind, words) => (node) => change({ kind, node }, fill(words, { node }));
const onPod =
  (kind, words, more = {}) =>
  (pod) =>
    change({ kind, pod, ...more }, fill(words, { pod: podName(pod) }));

export const cordon = onNode("cordon", _("Cordoning {node}"));
export const uncordon = onNode("uncordon", _("Uncordoning {node}"));
export const drain = onNode("drain", _("Draining {node}"));
export const failNode = onNode("fail_node", _("Making {node} fail"));
export const recoverNode = onNode("recover_node", _("Recovering {node}"));
export const evict = onPod("evict", _("Evicting {pod}"));
export const succeed = onPod("finish_pod", _("Ending {pod}"), { phase: "Succeeded" });
export const failPod = onPod("finish_pod", _("Ending {pod}"), { phase: "Failed" });

/** Move a waiting pod to the active queue. */
export const activate = onPod("activate", _("Moving {pod} to Active"));

/** Make the next Bind fail, with a notice, because the screen shows it only in the next cycle. */
export async function failNextBinding() {
  const label = _("The next Bind will fail");
  if ((await change({ kind: "fail_binding" }, label))?.state === "done") notify(label);
}

/** Change the taints of a node: `edit(taints)` returns the new list. */
export async function retaint(node, edit) {
  try {
    const manifest = await get(of(store.cluster.peek().id, "objects", "Node", node));
    const taints = edit(manifest.spec?.taints ?? []);
    const spec = { ...manifest.spec, taints };
    await change(
      { kind: "update", objects: [{ ...manifest, spec }], read: [manifest] },
      fill(_("Changing the taints of {node}"), { node }),
    );
  } catch (error) {
    report(error);
  }
}
