/** Actions of playback and of time: undo, branches, breakpoints. */
import { group, letter, needsCluster, needsCycle, needsPod, needsShown } from "../access/action_rows.js";
import { _, withWords } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { askDeleteBranch, branches, forkHere } from "../branches/branches.js";
import { toggleForPod } from "./breakpoints.js";
import {
  advanceToBackoff,
  askReset,
  cycleBack,
  cycleForward,
  stepBack,
  stepForward,
  toEnd,
  togglePlay,
  toStart,
} from "./run.js";
import { changePace, podBack, podForward, pointBack, pointForward, slowMotion } from "./step.js";
import { untilBackoffEnds } from "./waits.js";

// The first press loads the code of undo.
const take = (way) => withWords(() => import("./undoing.js")).then((module) => module.takeBack(way), report);

export const undo = () => take("undo");
export const redo = () => take("redo");

const needsBackoff = () => needsCluster() || (untilBackoffEnds() === null ? _("no pod is in backoff") : "");

export const driving = () =>
  group(_("Playback"), [
    ["play", _("play, pause"), [letter(" ", "Space"), letter("k")], needsCluster, togglePlay],
    ["step-forward", _("one step forward"), [letter(".")], needsCluster, stepForward],
    ["step-back", _("one step back"), [letter(",")], needsShown, stepBack],
    ["point-forward", _("one extension point forward"), [letter(">")], needsCluster, pointForward],
    ["point-back", _("one extension point back"), [letter("<")], needsShown, pointBack],
    ["cycle-forward", _("one cycle forward"), [letter("]")], needsCluster, cycleForward],
    ["cycle-back", _("one cycle back"), [letter("[")], needsShown, cycleBack],
    ["pod-forward", _("to this pod's next attempt"), [letter("}")], needsPod, podForward],
    ["pod-back", _("to this pod's attempt before"), [letter("{")], needsPod, podBack],
    ["slow-motion", _("slow motion through this cycle"), [letter("m")], needsShown, slowMotion],
    ["start", _("to the first cycle"), [{ key: "Home", shown: "Home" }], needsCycle, toStart],
    ["end", _("to the newest cycle, and follow"), [{ key: "End", shown: "End" }], needsCycle, toEnd],
    ["faster", _("faster"), [letter("+")], needsCluster, () => changePace(1)],
    ["slower", _("slower"), [letter("-")], needsCluster, () => changePace(-1)],
    ["backoff", _("let time pass until the first backoff ends"), [letter("a")], needsBackoff, advanceToBackoff],
    ["pass-time", _("let time pass…"), [], needsCluster, () => openDialog("time")],
    ["reset", _("reset to the start"), [], needsCluster, askReset],
  ]);

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
