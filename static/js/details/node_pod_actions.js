/** Actions on the pinned node and the selected pod. Their menus show the same rows. */
import { _, loadWithMessages } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { reportError } from "../base/notices.js";
import { podInView, store } from "../base/store.js";
import { actionGroup, singleKey, needsCluster, needsNode, needsPod } from "../access/action_rows.js";

const node = () => store.pinned.peek().node;
const pod = () => podInView.peek();

// The commands are loaded with the first action.
const runCommand = (name, subjectOf) => () => {
  const subject = subjectOf();
  loadWithMessages(() => import("../drive/node_pod_commands.js")).then(
    (commands) => commands[name](subject),
    reportError,
  );
};

const isCordoned = (name) => {
  const { names, unschedulable } = store.nodes.value ?? { names: [] };
  return Boolean(unschedulable?.[names.indexOf(name)]);
};

// The dialog that confirms is loaded when it opens.
const askDelete = (kind, key) =>
  loadWithMessages(() => import("../objects/object_actions.js")).then(
    ({ deleteObject }) => deleteObject(kind, key),
    reportError,
  );

const laneOfPod = () => (store.pod.value?.key === podInView.value ? store.pod.value?.lane : "");
const needsBound = () =>
  needsPod() || (store.pod.value?.key === podInView.value && !store.pod.value?.node ? _("it is on no node") : "");
const needsWaiting = () =>
  needsPod() ||
  (["backoff", "errorBackoff", "unschedulable"].includes(laneOfPod())
    ? ""
    : _("it is in no queue, or already in Active"));
const needsUncordoned = () => needsNode() || (isCordoned(store.pinned.value.node) ? _("it is already cordoned") : "");
const needsCordoned = () => needsNode() || (isCordoned(store.pinned.value.node) ? "" : _("it is not cordoned"));

export const nodeActions = () =>
  actionGroup(_("Pinned node"), [
    ["edit-node", _("edit the node"), [], needsNode, () => openDialog("object", { kind: "Node", objectKey: node() })],
    ["cordon", _("cordon the node"), [singleKey("c")], needsUncordoned, runCommand("cordon", node)],
    ["uncordon", _("uncordon the node"), [singleKey("C")], needsCordoned, runCommand("uncordon", node)],
    ["taint", _("taint the node"), [], needsNode, () => openDialog("taint", { node: node() })],
    ["drain", _("drain the node"), [], needsNode, runCommand("drain", node)],
    ["fail-node", _("make the node fail"), [], needsNode, runCommand("failNode", node)],
    ["recover-node", _("recover the node"), [], needsNode, runCommand("recoverNode", node)],
    ["delete-node", _("delete the node"), [], needsNode, () => askDelete("Node", node())],
  ]);

export const podActions = () =>
  actionGroup(_("Pod in view"), [
    ["edit-pod", _("edit the pod"), [], needsPod, () => openDialog("object", { kind: "Pod", objectKey: pod() })],
    ["activate", _("move the pod to Active"), [], needsWaiting, runCommand("activate", pod)],
    ["evict", _("evict the pod"), [], needsBound, runCommand("evict", pod)],
    ["succeed", _("let the pod succeed"), [], needsBound, runCommand("succeed", pod)],
    ["fail-pod", _("let the pod fail"), [], needsBound, runCommand("failPod", pod)],
    ["delete-pod", _("delete the pod"), [], needsPod, () => askDelete("Pod", pod())],
    ["fail-binding", _("make the next Bind fail"), [], needsCluster, runCommand("failNextBinding", pod)],
  ]);
