/** Actions of a class for teacher and followers. Their code is loaded on use. */
import { isLookingAround, classPanel, inClass, isFollower, isTeacher } from "../access/class_membership.js";
import { clusterRole } from "../access/allowed.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { actionGroup, needsCluster, neverBlocked } from "../access/action_rows.js";

const runAction = (name) => () =>
  loadWithMessages(() => import("../class/class_actions.js")).then((module) => module[name]());
const back = () => loadWithMessages(() => import("../class/class_pointer.js")).then((module) => module.backToTeacher());

const needsTeacher = () => (isTeacher.value ? "" : _("you teach no class"));
const needsClass = () => (inClass.value ? "" : _("you are in no class"));
const needsFollower = () => (isFollower.value ? "" : _("you follow no class"));
const needsMoment = () =>
  needsFollower() || (clusterRole.value === "follower" ? "" : _("go back to the teacher first"));
const needsAway = () => needsFollower() || (isLookingAround.value ? "" : _("you are with the teacher"));

export const classActions = () =>
  actionGroup(_("Class"), [
    ["class-open", _("open a class with this cluster"), [], needsCluster, runAction("openClass")],
    ["class-join", _("join a class"), [], neverBlocked, () => location.assign("/join/")],
    [
      "class-panel",
      _("the class's questions and answers"),
      [],
      needsClass,
      () => (classPanel.value = !classPanel.peek()),
    ],
    ["class-lock", _("lock or unlock the class"), [], needsTeacher, runAction("toggleLock")],
    ["class-link", _("copy the link to join"), [], needsTeacher, runAction("copyClassLink")],
    ["class-end", _("end the class"), [], needsTeacher, runAction("confirmEndClass")],
    ["class-back", _("back to the teacher"), [], needsAway, back],
    ["class-fork", _("fork the teacher's cluster"), [], needsMoment, runAction("forkMoment")],
    ["class-leave", _("leave the class"), [], needsFollower, runAction("leaveClass")],
  ]);
