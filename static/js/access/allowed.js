/**
 * The actions that this user can do in the open cluster. Owners can do all actions. Guests of a shared moment and
 * followers of a class can only look. Menus, buttons, palette and keys use the ids of the table of actions. The server
 * checks again.
 */
import { computed } from "../../vendor/preact.js";
import { nextStep } from "../cycle/moment.js";
import { hasPointer, inClass, isFollower } from "./class_membership.js";
import { _ } from "../base/i18n.js";
import { isGuest } from "../base/guest.js";
import { lastCycle, playing, podInView, store } from "../base/store.js";

const TAB_ACTIONS = ["why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile"];
const MOVE_ACTIONS = ["step-back", "point-back", "cycle-back", "pod-back", "slow-motion", "start", "end"];
// These show recorded cycles. Beyond the last one they run the scheduler, which only the owner can do.
const FORWARD_ACTIONS = ["play", "step-forward", "point-forward", "cycle-forward", "pod-forward"];
const DISPLAY_ACTIONS = [
  "faster",
  "slower",
  "queues",
  "filter",
  "zoom",
  "complete",
  "map",
  "unpin",
  "left",
  "right",
  "theme",
];
const INFO_ACTIONS = ["palette", "keys", "single-keys", "faithful", "gallery", "copy-link"];
const VIEW_ACTIONS = new Set([
  ...TAB_ACTIONS,
  ...MOVE_ACTIONS,
  ...FORWARD_ACTIONS,
  ...DISPLAY_ACTIONS,
  ...INFO_ACTIONS,
]);
const isViewAction = (id) => VIEW_ACTIONS.has(id) || id.startsWith("picture-") || id.startsWith("language-");

// A follower has an account, so these stay possible in every cluster.
const FOLLOWER_ACTIONS = new Set([
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
const LOCKABLE_ACTIONS = new Set([...TAB_ACTIONS, ...MOVE_ACTIONS, ...FORWARD_ACTIONS]);

/** The role in the open cluster: "owner", "guest" of a shared moment, or "follower" of the class that shows it. */
export const clusterRole = computed(() => {
  if (isGuest) return "guest";
  return isFollower.value && inClass.value.cluster === store.cluster.value?.id ? "follower" : "owner";
});

/** True if this user can change the open cluster. */
export const mayEdit = computed(() => clusterRole.value === "owner");

/** True if a run or a walk plays that this page can stop. */
export const playingHere = computed(() => (mayEdit.value ? playing.value : store.walking.value));

/** Return true if this user can do the action here, now or later. */
export function isOffered(id) {
  if (mayEdit.value) return true;
  return isViewAction(id) || (clusterRole.value === "follower" && FOLLOWER_ACTIONS.has(id));
}

const isViewLocked = () => clusterRole.value === "follower" && inClass.value.locked && !hasPointer.value;

/** Return true if the recording continues after the moment on the screen. */
function hasLaterMoment(id) {
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
  const isShared = clusterRole.value === "guest";
  if (!isOffered(id)) return isShared ? _("a shared snapshot is read-only") : _("this is the teacher's cluster");
  if (LOCKABLE_ACTIONS.has(id) && isViewLocked()) return _("the teacher controls the view");
  if (FORWARD_ACTIONS.includes(id) && !hasLaterMoment(id))
    return isShared ? _("the shared snapshot ends here") : _("only the teacher can continue here");
  if (id !== "class-fork") return "";
  if (inClass.value.locked) return _("the class is locked");
  return inClass.value.question?.open ? _("a question is open: a fork would show the answer") : "";
}

let showRefusal = () => {};
/** Register the handler that explains a refusal to the user. */
export const onRefusal = (handler) => (showRefusal = handler);

export const explainRefusal = () => showRefusal();
