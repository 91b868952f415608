/** Actions that drive the scheduler and move through what is recorded. */
import { untilBackoffEnds } from "../drive/waits.js";
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
} from "../drive/run.js";
import { changePace, podBack, podForward, pointBack, pointForward, slowMotion } from "../drive/step.js";
import { _ } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { group, letter, needsCluster, needsCycle, needsPod, needsShown } from "./entry.js";

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
