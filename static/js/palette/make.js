/** Actions that create and change objects. */
import { _, withWords } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { group, letter, needsCluster, nothing } from "../access/action_rows.js";

export const making = () =>
  group(_("Making"), [
    ["new", _("new object"), [letter("n")], needsCluster, () => openDialog("new")],
    ["import", _("import"), [letter("i")], nothing, () => openDialog("import")],
    ["new-cluster", _("new empty cluster"), [], nothing, () => openDialog("cluster")],
    [
      "delete-cluster",
      _("delete this cluster"),
      [],
      needsCluster,
      () =>
        withWords(() => import("../clusters/cluster_menu.js")).then((menu) => menu.confirmDelete(store.cluster.peek())),
    ],
    ["compare", _("compare profiles"), [letter("d")], needsCluster, () => openDialog("compare")],
    ["upgrade", _("what an upgrade of kube-scheduler changes"), [], needsCluster, () => openDialog("upgrade")],
    ["capacity", _("capacity: what fits, what can go, what breaks"), [], needsCluster, () => openDialog("capacity")],
    ["past", _("translate an old configuration; words then and now"), [], nothing, () => openDialog("past")],
    [
      "apply-profile",
      _("apply the profile"),
      [{ key: "Enter", shown: "Ctrl+Enter", ctrl: true }],
      needsCluster,
      () => withWords(() => import("../profile/actions.js")).then((module) => module.applyProfile()),
    ],
  ]);
