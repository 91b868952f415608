/** Actions of playback and of time: undo, branches, breakpoints. */
import { actionGroup, singleKey, needsCluster, needsCycle, needsPod, needsShown } from "../access/action_rows.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { confirmDeleteBranch, branches, forkHere } from "../branches/branches.js";
import { togglePodBreakpoint } from "./breakpoints.js";
import {
  advanceToBackoff,
  confirmReset,
  cycleBack,
  cycleForward,
  stepBack,
  stepForward,
  goToEnd,
  togglePlay,
  goToStart,
} from "./run.js";
import { changePace, podBack, podForward, pointBack, pointForward, playSlowMotion } from "./larger_steps.js";
import { secondsUntilBackoffEnds } from "./waiting_time.js";

// The first press loads the code of undo.
const undoOrRedo = (direction) =>
  loadWithMessages(() => import("./undo.js")).then((module) => module.undoOrRedo(direction), reportError);

export const undo = () => undoOrRedo("undo");
export const redo = () => undoOrRedo("redo");

const needsBackoff = () => needsCluster() || (secondsUntilBackoffEnds() === null ? _("no pod is in backoff") : "");

export const driving = () =>
  actionGroup(_("Playback"), [
    ["play", _("play, pause"), [singleKey(" ", "Space"), singleKey("k")], needsCluster, togglePlay],
    ["step-forward", _("one step forward"), [singleKey(".")], needsCluster, stepForward],
    ["step-back", _("one step back"), [singleKey(",")], needsShown, stepBack],
    ["point-forward", _("one extension point forward"), [singleKey(">")], needsCluster, pointForward],
    ["point-back", _("one extension point back"), [singleKey("<")], needsShown, pointBack],
    ["cycle-forward", _("one cycle forward"), [singleKey("]")], needsCluster, cycleForward],
    ["cycle-back", _("one cycle back"), [singleKey("[")], needsShown, cycleBack],
    ["pod-forward", _("to this pod's next attempt"), [singleKey("}")], needsPod, podForward],
    ["pod-back", _("to this pod's previous attempt"), [singleKey("{")], needsPod, podBack],
    ["slow-motion", _("slow motion through this cycle"), [singleKey("m")], needsShown, playSlowMotion],
    ["start", _("to the first cycle"), [{ key: "Home", shown: "Home" }], needsCycle, goToStart],
    ["end", _("to the newest cycle, and follow"), [{ key: "End", shown: "End" }], needsCycle, goToEnd],
    ["faster", _("faster"), [singleKey("+")], needsCluster, () => changePace(1)],
    ["slower", _("slower"), [singleKey("-")], needsCluster, () => changePace(-1)],
    ["backoff", _("let time pass until the first backoff ends"), [singleKey("a")], needsBackoff, advanceToBackoff],
    ["pass-time", _("let time pass…"), [], needsCluster, () => openDialog("time")],
    ["reset", _("reset to the start"), [], needsCluster, confirmReset],
  ]);

const needsUndo = () => needsCluster() || (store.cluster.value.can_undo ? "" : _("nothing to undo"));
const needsRedo = () => needsCluster() || (store.cluster.value.can_redo ? "" : _("nothing to redo"));
const needsBranches = () => needsCluster() || (branches.value.length > 1 ? "" : _("there is only this branch"));

export const timing = () =>
  actionGroup(_("Time"), [
    ["undo", _("undo the last change"), [singleKey("u")], needsUndo, undo],
    ["redo", _("redo the undone change"), [singleKey("U")], needsRedo, redo],
    ["fork", _("fork a branch here"), [singleKey("f")], needsCluster, () => forkHere()],
    ["branches", _("branches: switch, rename, delete"), [singleKey("g")], needsCluster, () => openDialog("branches")],
    [
      "compare-branches",
      _("compare with another branch"),
      [],
      needsBranches,
      () => openDialog("branches", { compare: true }),
    ],
    ["delete-branch", _("delete this branch"), [], needsCluster, () => confirmDeleteBranch(store.cluster.peek())],
    ["breakpoints", _("breakpoints"), [singleKey("b")], needsCluster, () => openDialog("breakpoints")],
    ["break-pod", _("toggle breakpoint on this Pod"), [singleKey("B")], needsPod, togglePodBreakpoint],
  ]);
