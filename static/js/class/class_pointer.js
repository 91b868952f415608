/**
 * The pointer of a class. The page that has the pointer sends its moment. The other pages show that moment, unless
 * their user looks around alone.
 */
import { batch, effect } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { get, clusterPath } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { showPanel } from "../base/screen.js";
import { lastCycle, store } from "../base/store.js";
import { showClassEnd } from "./follower_forks.js";
import { applyPointerMoment, readPointerMoment, placeKey } from "./pointer_moment.js";
import { connectToClass } from "./class_socket.js";
import {
  isLookingAround,
  classPanel,
  clickedNode,
  hasPointer,
  withheldFrom,
  inClass,
} from "../access/class_membership.js";

const SEND_EVERY = 100; // ms

let connection = null;
let stopEffects = [];
let pointerMoment = null; // the moment of the pointer
let sentText = null; // the last position sent, as text
let pendingMoment = null; // the position to send when the timer ends
let timer = 0;
let firstWithheld = null; // the first cycle that the server withholds from this page
let isStale = false; // `firstWithheld` has changed since the cluster was read
let isReturning = false; // this page is loading the cluster of the class

/**
 * Take part in a class, {id, …} of the API. A follower's page gets the class first and calls `startFollowing` later.
 */
export function joinClass(joined) {
  disconnectClass();
  isReturning = joined.role === "follower";
  inClass.value = joined;
  pointerMoment = joined.moment;
  connection = connectToClass(joined.id, { message: handleMessage, ended: endClass });
  firstWithheld = withheldFrom.peek();
  stopEffects = [effect(trackOwnMoment), effect(detectOwnMove), effect(applyWithholding)];
}

/** Start to follow: the page has opened a cluster. */
export function startFollowing() {
  isReturning = false;
  if (isStale && inClass.peek()) reloadCluster(firstWithheld);
  else followPointer();
}

/** Leave the class, because the socket or the user ended it. */
export function disconnectClass() {
  connection?.end();
  for (const stop of stopEffects) stop();
  connection = null;
  stopEffects = [];
  pointerMoment = null;
  sentText = null;
  pendingMoment = null;
  isStale = false;
  clearTimeout(timer);
  timer = 0;
  batch(() => {
    inClass.value = null;
    isLookingAround.value = false;
    classPanel.value = false;
    clickedNode.value = null;
  });
}

function endClass() {
  const classState = inClass.peek();
  const isWatching = classState.role === "follower" && (isReturning || store.cluster.peek()?.id === classState.cluster);
  disconnectClass();
  if (isWatching) showClassEnd(classState).catch(reportError);
  else notify(_("The class is over."));
}

function handleMessage(message) {
  if (message.type === "move") {
    pointerMoment = message.moment;
    followPointer();
  } else if (message.class) {
    const before = inClass.peek();
    // Only the first frame and answers have the fields of this page itself.
    const isNew = message.class.question?.number !== before?.question?.number;
    const me = before?.me && isNew ? { ...before.me, chosen: null } : (before?.me ?? null);
    const wasHeld = withheldFrom.peek() !== null;
    inClass.value = { ...message.class, me: message.class.me ?? me };
    if (message.type === "hello" || before?.cluster !== message.class.cluster || wasHeld)
      pointerMoment = message.class.moment;
    handleChange(before, inClass.peek());
    if (message.type === "hello") scheduleSend();
  }
}

function handleChange(before, classState) {
  const { question } = classState;
  if (question?.open && before?.question?.number !== question.number) {
    clickedNode.value = null;
    if (classState.role === "follower") {
      classPanel.value = true;
      showPanel("class");
    }
  }
  if (hasPointer.peek() && before && before.pointer?.id !== classState.pointer?.id && classState.role === "follower") {
    isLookingAround.value = false;
    notify(_("You have the pointer. Everyone sees your view."));
  }
  if (classState.role === "follower" && classState.locked && isLookingAround.peek()) backToTeacher();
  else followPointer();
}

/** Remove the subject of a question from the page until it is answered, then show it again. */
function applyWithholding() {
  const from = withheldFrom.value;
  if (from === firstWithheld) return;
  const before = firstWithheld;
  firstWithheld = from;
  // With an answer comes the pointer's position, which was withheld too.
  if (before !== null) pointerMoment = inClass.peek()?.moment ?? null;
  isStale = inClass.peek()?.cluster === store.cluster.peek()?.id;
  if (isStale && !isReturning) reloadCluster(from);
}

async function reloadCluster(from) {
  isStale = false;
  isReturning = true;
  const cluster = store.cluster.peek();
  const { cycle, step } = store.cursor.peek();
  try {
    const isComplete =
      from === null
        ? (await get(clusterPath(cluster.id))).revision === cluster.revision
        : cluster.cycle < from && lastCycle.peek() < from;
    if (!isComplete)
      await openCluster(cluster.id, from !== null && cycle >= from ? {} : { cycle, step, pinned: store.pinned.peek() });
  } catch {
    // `openCluster` reports its own errors.
  }
  startFollowing();
}

/** Return true if this page cannot see the pointer's moment yet. */
const isMomentWithheld = () => firstWithheld !== null && pointerMoment?.cycle >= firstWithheld;

/** Go to the pointer's moment, unless this page has the pointer, its user looks around, or the moment is withheld. */
function followPointer() {
  const classState = inClass.peek();
  if (!classState || hasPointer.peek() || isLookingAround.peek() || isReturning) return;
  if (isMomentWithheld()) return;
  if (store.cluster.peek()?.id !== classState.cluster) {
    if (classState.role === "follower") backToTeacher();
    return;
  }
  if (pointerMoment?.cluster === classState.cluster) applyPointerMoment(pointerMoment);
}

/** Go back to the moment of the pointer. */
export async function backToTeacher() {
  const { cluster } = inClass.peek();
  isReturning = true;
  isLookingAround.value = false;
  try {
    if (store.cluster.peek()?.id !== cluster) await openCluster(cluster);
  } catch {
    // `openCluster` reports its own errors; there is no moment to return to.
  }
  startFollowing();
}

/** Follow the moment of this page and send it at a limited rate, if this page has the pointer. */
function trackOwnMoment() {
  const here = readPointerMoment();
  const text = JSON.stringify(here);
  if (!hasPointer.value || here.cluster !== inClass.value.cluster || (here.cycle > 0 && here.step === null)) return;
  // After a reconnect or in a second page, the moment is sent only when it changes.
  if (sentText === null && pointerMoment) sentText = text;
  pendingMoment = here;
  scheduleSend();
}

function scheduleSend() {
  if (pendingMoment && JSON.stringify(pendingMoment) !== sentText && !timer)
    timer = setTimeout(sendPending, SEND_EVERY);
}

function sendPending() {
  timer = 0;
  const text = JSON.stringify(pendingMoment);
  if (!hasPointer.peek() || text === sentText) return;
  // Without a connection, the first frame after a reconnect calls this again.
  if (!connection?.send({ type: "move", moment: pendingMoment })) return;
  sentText = text;
  pointerMoment = pendingMoment;
}

/**
 * Detect that a follower moves on their own. That starts to look around, answers by a click on a node, or is blocked.
 */
function detectOwnMove() {
  const here = readPointerMoment();
  const classState = inClass.value;
  if (!classState || classState.role !== "follower" || hasPointer.value || isLookingAround.value || isReturning) return;
  if (here.cluster !== classState.cluster) {
    if (here.cluster !== null) isLookingAround.value = !classState.locked;
    if (classState.locked) queueMicrotask(backToTeacher);
    return;
  }
  if (
    !pointerMoment ||
    pointerMoment.cluster !== classState.cluster ||
    store.shown.value === null ||
    isMomentWithheld()
  )
    return;
  // The teacher's cycle may end before its record is here; another cycle is the user's own move even before it is
  // loaded.
  if (here.step === null && here.cycle === pointerMoment.cycle) return;
  if (placeKey(here) === placeKey(pointerMoment)) return;
  // The newest cycle comes by itself, for example after a reset; here the pointer decides.
  if (store.following.value) return queueMicrotask(followPointer);
  if (answerByClick(classState, here)) return;
  if (classState.locked) queueMicrotask(followPointer);
  else isLookingAround.value = true;
}

function answerByClick({ question }, here) {
  const { node } = here.pinned;
  if (!question?.open || question.kind !== "node" || !node || !question.options.includes(node)) return false;
  if (placeKey({ ...here, pinned: pointerMoment.pinned }) !== placeKey(pointerMoment)) return false;
  clickedNode.value = node;
  queueMicrotask(followPointer);
  return true;
}

/** Return in a few words where this page is in the class. */
export function followingText() {
  const classState = inClass.value;
  if (hasPointer.value && classState.role === "follower") return _("You have the pointer");
  if (isLookingAround.value) return _("You are looking around on your own");
  if (classState.pointer) return fill(_("You follow {name}"), { name: classState.pointer.name });
  return _("You follow the teacher");
}
