/** Actions that make and change things. */
import { _, withWords } from "../base/i18n.js";
import { store } from "../base/store.js";
import { dialog, group, letter, needsCluster, nothing } from "./entry.js";

export const making = () =>
  group(_("Making"), [
    ["new", _("new object"), [letter("n")], needsCluster, () => dialog("new")],
    ["import", _("import"), [letter("i")], nothing, () => dialog("import")],
    ["new-cluster", _("new empty cluster"), [], nothing, () => dialog("cluster")],
    [
      "delete-cluster",
      _("delete this cluster"),
      [],
      needsCluster,
      () => withWords(() => import("../cluster/menu.js")).then((menu) => menu.confirmDelete(store.cluster.peek())),
    ],
    ["compare", _("compare profiles"), [letter("d")], needsCluster, () => dialog("compare")],
    ["upgrade", _("what an upgrade of kube-scheduler changes"), [], needsCluster, () => dialog("upgrade")],
    ["past", _("translate an old configuration; words then and now"), [], nothing, () => dialog("past")],
    [
      "apply-profile",
      _("apply the profile"),
      [{ key: "Enter", shown: "Ctrl+Enter", ctrl: true }],
      needsCluster,
      () => withWords(() => import("../profile/actions.js")).then((module) => module.applyProfile()),
    ],
  ]);
