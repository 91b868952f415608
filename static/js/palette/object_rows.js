/** Actions that create and change objects. */
import { _, loadWithMessages } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { actionGroup, singleKey, needsCluster, neverBlocked } from "../access/action_rows.js";

export const objectActions = () =>
  actionGroup(_("Create"), [
    ["new", _("new object"), [singleKey("n")], needsCluster, () => openDialog("new")],
    ["import", _("import"), [singleKey("i")], neverBlocked, () => openDialog("import")],
    ["new-cluster", _("new empty cluster"), [], neverBlocked, () => openDialog("cluster")],
    [
      "delete-cluster",
      _("delete this cluster"),
      [],
      needsCluster,
      () =>
        loadWithMessages(() => import("../clusters/cluster_menu.js")).then((menu) =>
          menu.confirmDelete(store.cluster.peek()),
        ),
    ],
    ["compare", _("compare profiles"), [singleKey("d")], needsCluster, () => openDialog("compare")],
    ["upgrade", _("effects of a kube-scheduler upgrade"), [], needsCluster, () => openDialog("upgrade")],
    ["capacity", _("capacity: what fits, drains and failures"), [], needsCluster, () => openDialog("capacity")],
    ["past", _("convert a legacy configuration; old terms"), [], neverBlocked, () => openDialog("past")],
    [
      "apply-profile",
      _("apply the profile"),
      [{ key: "Enter", shown: "Ctrl+Enter", ctrl: true }],
      needsCluster,
      () => loadWithMessages(() => import("../profile/profile_actions.js")).then((module) => module.applyProfile()),
    ],
  ]);
