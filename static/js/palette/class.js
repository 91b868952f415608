/** Actions of a class for teacher and followers. Their code is loaded on use. */
import { away, classPanel, inClass, isFollower, isTeacher } from "../access/class_membership.js";
import { here } from "../access/allowed.js";
import { _, withWords } from "../base/i18n.js";
import { group, needsCluster, nothing } from "../access/action_rows.js";

const run = (name) => () => withWords(() => import("../class/actions.js")).then((module) => module[name]());
const back = () => withWords(() => import("../class/follow.js")).then((module) => module.backToTeacher());

const needsTeacher = () => (isTeacher.value ? "" : _("you teach no class"));
const needsClass = () => (inClass.value ? "" : _("you are in no class"));
const needsFollower = () => (isFollower.value ? "" : _("you follow no class"));
const needsMoment = () => needsFollower() || (here.value === "follower" ? "" : _("go back to the teacher first"));
const needsAway = () => needsFollower() || (away.value ? "" : _("you are with the teacher"));

export const teaching = () =>
  group(_("Class"), [
    ["class-open", _("open a class with this cluster"), [], needsCluster, run("openClass")],
    ["class-join", _("join a class"), [], nothing, () => location.assign("/join/")],
    [
      "class-panel",
      _("the class's questions and answers"),
      [],
      needsClass,
      () => (classPanel.value = !classPanel.peek()),
    ],
    ["class-lock", _("lock or unlock the class"), [], needsTeacher, run("toggleLock")],
    ["class-link", _("copy the link to join"), [], needsTeacher, run("copyClassLink")],
    ["class-end", _("end the class"), [], needsTeacher, run("askEnd")],
    ["class-back", _("back to the teacher"), [], needsAway, back],
    ["class-fork", _("fork the teacher's moment"), [], needsMoment, run("forkMoment")],
    ["class-leave", _("leave the class"), [], needsFollower, run("leaveClass")],
  ]);
