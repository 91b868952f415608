/** Actions on time itself: undo, branches, breakpoints. */
import { askDeleteBranch, branches, forkHere } from "../branches/branches.js";
import { toggleForPod } from "../drive/breakpoints.js";
import { redo, undo } from "../branches/undo.js";
import { _ } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { group, letter, needsCluster, needsPod } from "./entry.js";

const needsUndo = () => needsCluster() || (store.cluster.value.can_undo ? "" : _("nothing to undo"));
const needsRedo = () => needsCluster() || (store.cluster.value.can_redo ? "" : _("nothing to redo"));
const needsBranches = () => needsCluster() || (branches.value.length > 1 ? "" : _("there is only this branch"));

export const timing = () =>
  group(_("Time"), [
    ["undo", _("undo the last change"), [letter("u")], needsUndo, undo],
    ["redo", _("redo what was undone"), [letter("U")], needsRedo, redo],
    ["fork", _("fork a branch here"), [letter("f")], needsCluster, () => forkHere()],
    ["branches", _("branches: switch, rename, delete"), [letter("g")], needsCluster, () => openDialog("branches")],
    [
      "compare-branches",
      _("compare with another branch"),
      [],
      needsBranches,
      () => openDialog("branches", { compare: true }),
    ],
    ["delete-branch", _("delete this branch"), [], needsCluster, () => askDeleteBranch(store.cluster.peek())],
    ["breakpoints", _("breakpoints"), [letter("b")], needsCluster, () => openDialog("breakpoints")],
    ["break-pod", _("breakpoint on this pod, on or off"), [letter("B")], needsPod, toggleForPod],
  ]);
