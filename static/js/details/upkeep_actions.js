/** Actions on the pinned node and the selected pod. Their menus show the same rows. */
import { _, withWords } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { report } from "../base/notices.js";
import { podInView, store } from "../base/store.js";
import { group, letter, needsCluster, needsNode, needsPod } from "../access/action_rows.js";

const node = () => store.pinned.peek().node;
const pod = () => podInView.peek();

// The commands are loaded with the first action.
const act = (name, about) => () => {
  const given = about();
  withWords(() => import("../drive/upkeep.js")).then((all) => all[name](given), report);
};

const isCordoned = (name) => {
  const { names, unschedulable } = store.nodes.value ?? { names: [] };
  return Boolean(unschedulable?.[names.indexOf(name)]);
};

// The dialog that confirms is loaded when it opens.
const remove = (kind, key) =>
  withWords(() => import("../objects/actions.js")).then(({ deleteObject }) => deleteObject(kind, key), report);

const laneOf = () => (store.pod.value?.key === podInView.value ? store.pod.value?.lane : "");
const needsBound = () =>
  needsPod() || (store.pod.value?.key === podInView.value && !store.pod.value?.node ? _("it is on no node") : "");
const needsWaiting = () =>
  needsPod() ||
  (["backoff", "errorBackoff", "unschedulable"].includes(laneOf())
    ? ""
    : _("it waits in no queue, or in Active already"));
const needsOpen = () => needsNode() || (isCordoned(store.pinned.value.node) ? _("it is cordoned already") : "");
const needsCordoned = () => needsNode() || (isCordoned(store.pinned.value.node) ? "" : _("it is not cordoned"));

export const onNode = () =>
  group(_("Pinned node"), [
    ["edit-node", _("edit the node"), [], needsNode, () => openDialog("object", { kind: "Node", objectKey: node() })],
    ["cordon", _("cordon the node"), [letter("c")], needsOpen, act("cordon", node)],
    ["uncordon", _("uncordon the node"), [letter("C")], needsCordoned, act("uncordon", node)],
    ["taint", _("taint the node"), [], needsNode, () => openDialog("taint", { node: node() })],
    ["drain", _("drain the node"), [], needsNode, act("drain", node)],
    ["fail-node", _("make the node fail"), [], needsNode, act("failNode", node)],
    ["recover-node", _("recover the node"), [], needsNode, act("recoverNode", node)],
    ["delete-node", _("delete the node"), [], needsNode, () => remove("Node", node())],
  ]);

export const onPod = () =>
  group(_("Pod in view"), [
    ["edit-pod", _("edit the pod"), [], needsPod, () => openDialog("object", { kind: "Pod", objectKey: pod() })],
    ["activate", _("move the pod to Active"), [], needsWaiting, act("activate", pod)],
    ["evict", _("evict the pod"), [], needsBound, act("evict", pod)],
    ["succeed", _("let the pod succeed"), [], needsBound, act("succeed", pod)],
    ["fail-pod", _("let the pod fail"), [], needsBound, act("failPod", pod)],
    ["delete-pod", _("delete the pod"), [], needsPod, () => remove("Pod", pod())],
    ["fail-binding", _("make the next Bind fail"), [], needsCluster, act("failNextBinding", pod)],
  ]);
