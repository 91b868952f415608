/**
 * The actions that this user can do in the open cluster. Owners can do all. Guests of a shared moment and followers of
 * a class can only look. Menus, buttons, palette and keys use the ids of the table of actions. The server checks again.
 */
import { computed } from "../../vendor/preact.js";
import { nextStep } from "../cycle/moment.js";
import { hasPointer, inClass, isFollower } from "./class_membership.js";
import { _ } from "../base/i18n.js";
import { isGuest } from "../base/guest.js";
import { lastCycle, playing, podInView, store } from "../base/store.js";

const TABS = ["why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile"];
const PLACES = ["step-back", "point-back", "cycle-back", "pod-back", "slow-motion", "start", "end"];
// These go through recorded cycles. Beyond the last one they work only in the user's own cluster.
const ONWARDS = ["play", "step-forward", "point-forward", "cycle-forward", "pod-forward"];
const DRAWING = ["faster", "slower", "queues", "filter", "zoom", "complete", "map", "unpin", "left", "right", "theme"];
const ABOUT = ["palette", "keys", "single-keys", "faithful", "gallery", "copy-link"];
const LOOKING = new Set([...TABS, ...PLACES, ...ONWARDS, ...DRAWING, ...ABOUT]);
const isLooking = (id) => LOOKING.has(id) || id.startsWith("picture-") || id.startsWith("language-");

// A follower has an account, so these stay possible in every cluster.
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

// The actions that a locked class blocks.
const HELD = new Set([...TABS, ...PLACES, ...ONWARDS]);

/** The role in the open cluster: "owner", "guest" of a shared moment, or "follower" of the class that shows it. */
export const here = computed(() => {
  if (isGuest) return "guest";
  return isFollower.value && inClass.value.cluster === store.cluster.value?.id ? "follower" : "owner";
});

/** True if this user can change the open cluster. */
export const mayEdit = computed(() => here.value === "owner");

/** True if a run or a walk plays that this page can stop. */
export const playingHere = computed(() => (mayEdit.value ? playing.value : store.walking.value));

/** Return true if this user can do the action here, now or later. */
export function isOffered(id) {
  if (mayEdit.value) return true;
  return isLooking(id) || (here.value === "follower" && FOLLOWERS.has(id));
}

const isHeld = () => here.value === "follower" && inClass.value.locked && !hasPointer.value;

/** Return true if more is recorded than the moment on the screen. */
function goesOn(id) {
  // Read both first: `nextStep` only peeks, and a view that uses the result must depend on them.
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

/** Explain to the user why they cannot change this cluster. */
export const explainRefusal = () => explain();
