/**
 * The actions that this user may do in the open cluster: owners all, guests of a shared moment and followers of a class
 * those that only look. Menus, buttons, palette and keys ask here by the ids of the table of actions. The server checks
 * again.
 */
import { computed } from "../../vendor/preact.js";
import { nextStep } from "../cycle/moment.js";
import { hasPointer, inClass, isFollower } from "./class_membership.js";
import { _ } from "../base/i18n.js";
import { isGuest } from "../base/guest.js";
import { lastCycle, playing, podInView, store } from "../base/store.js";

const TABS = ["why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile"];
const PLACES = ["step-back", "point-back", "cycle-back", "pod-back", "slow-motion", "start", "end"];
// They go through what is recorded, and on from its end only in a cluster of one's own.
const ONWARDS = ["play", "step-forward", "point-forward", "cycle-forward", "pod-forward"];
const DRAWING = ["faster", "slower", "queues", "filter", "zoom", "complete", "map", "unpin", "left", "right", "theme"];
const ABOUT = ["palette", "keys", "single-keys", "faithful", "gallery", "copy-link"];
const LOOKING = new Set([...TABS, ...PLACES, ...ONWARDS, ...DRAWING, ...ABOUT]);
const isLooking = (id) => LOOKING.has(id) || id.startsWith("picture-") || id.startsWith("language-");

// A follower has an account of some kind: what is theirs wherever they look.
const FOLLOWERS = new Set([
  "new-cluster",
  "past",
  "lessons",
  "decode",
  "present",
  "log-out",
  "class-join",
  "class-panel",
  "class-back",
  "class-fork",
  "class-leave",
]);

// What a locked class holds in place.
const HELD = new Set([...TABS, ...PLACES, ...ONWARDS]);

/** The role in the open cluster: "owner", "guest" of a shared moment, or "follower" of the class that shows it. */
export const here = computed(() => {
  if (isGuest) return "guest";
  return isFollower.value && inClass.value.cluster === store.cluster.value?.id ? "follower" : "owner";
});

/** May this user change the open cluster? */
export const mayEdit = computed(() => here.value === "owner");

/** Does a run or a walk play that this page may stop? */
export const playingHere = computed(() => (mayEdit.value ? playing.value : store.walking.value));

/** Return true if this user may do the action here, now or later. */
export function isOffered(id) {
  if (mayEdit.value) return true;
  return isLooking(id) || (here.value === "follower" && FOLLOWERS.has(id));
}

const isHeld = () => here.value === "follower" && inClass.value.locked && !hasPointer.value;

/** Is more recorded than what is on the screen? */
function goesOn(id) {
  // Both are read before anything else: `nextStep` only peeks, and what is drawn by the answer has to follow them.
  const shown = store.shown.value;
  const last = lastCycle.value;
  if (id !== "pod-forward") return nextStep() !== null;
  const { first, pod } = store.history.value;
  const number = shown?.record.cycle.number ?? first - 1;
  return number < last && pod.indexOf(podInView.value, number + 1 - first) >= 0;
}

/** Return why this user cannot do the action now; "" if they can. */
export function refusal(id) {
  if (mayEdit.value) return "";
  const isShared = here.value === "guest";
  if (!isOffered(id)) return isShared ? _("a shared moment stays as it is") : _("this is the teacher's cluster");
  if (HELD.has(id) && isHeld()) return _("the teacher holds the view");
  if (ONWARDS.includes(id) && !goesOn(id))
    return isShared ? _("here the shared moment ends") : _("only the teacher goes on from here");
  if (id !== "class-fork") return "";
  if (inClass.value.locked) return _("the class is locked");
  return inClass.value.question?.open ? _("a question is open: a fork would tell the answer") : "";
}

let explain = () => {};
/** Register the handler that explains a refusal to the user. */
export const onRefusal = (handler) => (explain = handler);

/** Explain to the user that this cluster is not theirs to change. */
export const explainRefusal = () => explain();
