/** The pointer of a class: its page sends its moment, and the others follow unless they look around. */
import { batch, effect } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { get, of } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { showPanel } from "../base/screen.js";
import { lastCycle, store } from "../base/store.js";
import { endWith } from "./forks.js";
import { apply, momentHere, placeOf } from "./moment.js";
import { sit } from "./socket.js";
import { away, classPanel, clickedNode, hasPointer, heldFrom, inClass } from "../access/class_membership.js";

const TELL_EVERY = 100; // ms

let seat = null;
let stops = [];
let shared = null; // the moment of the pointer
let sent = null; // the last position sent, as text
let pending = null; // the position to send when the timer ends
let timer = 0;
let held = null; // the first cycle that this page did not receive
let isStale = false; // `held` has changed since the cluster was read
let goingBack = false; // this page is loading the cluster of the class

/** Take part in a class, {id, …} of the API. A follower's page gets the class first and calls `arrived` later. */
export function enter(found) {
  leaveSeat();
  goingBack = found.role === "follower";
  inClass.value = found;
  shared = found.moment;
  seat = sit(found.id, { frame: take, over: end });
  held = heldFrom.peek();
  stops = [effect(tell), effect(watch), effect(hold)];
}

/** Start to follow: the page has opened a cluster. */
export function arrived() {
  goingBack = false;
  if (isStale && inClass.peek()) readAgain(held);
  else go();
}

/** Leave the class, because the socket or the user ended it. */
export function leaveSeat() {
  seat?.end();
  for (const stop of stops) stop();
  seat = null;
  stops = [];
  shared = null;
  sent = null;
  pending = null;
  isStale = false;
  clearTimeout(timer);
  timer = 0;
  batch(() => {
    inClass.value = null;
    away.value = false;
    classPanel.value = false;
    clickedNode.value = null;
  });
}

function end() {
  const now = inClass.peek();
  const looksOn = now.role === "follower" && (goingBack || store.cluster.peek()?.id === now.cluster);
  leaveSeat();
  if (looksOn) endWith(now).catch(report);
  else notify(_("The class is over."));
}

function take(frame) {
  if (frame.type === "move") {
    shared = frame.moment;
    go();
  } else if (frame.class) {
    const before = inClass.peek();
    // Only the first frame and answers have the fields of this page itself.
    const isNew = frame.class.question?.number !== before?.question?.number;
    const me = before?.me && isNew ? { ...before.me, chosen: null } : (before?.me ?? null);
    const wasHeld = heldFrom.peek() !== null;
    inClass.value = { ...frame.class, me: frame.class.me ?? me };
    if (frame.type === "hello" || before?.cluster !== frame.class.cluster || wasHeld) shared = frame.class.moment;
    changed(before, inClass.peek());
    if (frame.type === "hello") tellSoon();
  }
}

function changed(before, now) {
  const { question } = now;
  if (question?.open && before?.question?.number !== question.number) {
    clickedNode.value = null;
    if (now.role === "follower") {
      classPanel.value = true;
      showPanel("class");
    }
  }
  if (hasPointer.peek() && before && before.pointer?.id !== now.pointer?.id && now.role === "follower") {
    away.value = false;
    notify(_("You have the pointer: what you look at is what everybody sees."));
  }
  if (now.role === "follower" && now.locked && away.peek()) backToTeacher();
  else go();
}

/** Remove the subject of a question from the page until it is answered, then show it again. */
function hold() {
  const from = heldFrom.value;
  if (from === held) return;
  const before = held;
  held = from;
  // With an answer comes the pointer's position, which was withheld too.
  if (before !== null) shared = inClass.peek()?.moment ?? null;
  isStale = inClass.peek()?.cluster === store.cluster.peek()?.id;
  if (isStale && !goingBack) readAgain(from);
}

async function readAgain(from) {
  isStale = false;
  goingBack = true;
  const cluster = store.cluster.peek();
  const { cycle, step } = store.cursor.peek();
  try {
    const knows =
      from === null
        ? (await get(of(cluster.id))).revision === cluster.revision
        : cluster.cycle < from && lastCycle.peek() < from;
    if (!knows)
      await openCluster(cluster.id, from !== null && cycle >= from ? {} : { cycle, step, pinned: store.pinned.peek() });
  } catch {
    // `openCluster` reports its own errors.
  }
  arrived();
}

/** Return true if this page cannot see the pointer's moment yet. */
const isHeld = () => held !== null && shared?.cycle >= held;

/** Go to the pointer's moment, unless this page has the pointer, its user looks around, or the moment is withheld. */
function go() {
  const now = inClass.peek();
  if (!now || hasPointer.peek() || away.peek() || goingBack) return;
  if (isHeld()) return;
  if (store.cluster.peek()?.id !== now.cluster) {
    if (now.role === "follower") backToTeacher();
    return;
  }
  if (shared?.cluster === now.cluster) apply(shared);
}

/** Go back to the moment of the pointer. */
export async function backToTeacher() {
  const { cluster } = inClass.peek();
  goingBack = true;
  away.value = false;
  try {
    if (store.cluster.peek()?.id !== cluster) await openCluster(cluster);
  } catch {
    // `openCluster` reports its own errors; there is no moment to return to.
  }
  arrived();
}

/** Send the moment of this page, if it has the pointer, at a limited rate. */
function tell() {
  const here = momentHere();
  const text = JSON.stringify(here);
  if (!hasPointer.value || here.cluster !== inClass.value.cluster || (here.cycle > 0 && here.step === null)) return;
  // After a reconnect or in a second page, the moment is sent only when it changes.
  if (sent === null && shared) sent = text;
  pending = here;
  tellSoon();
}

function tellSoon() {
  if (pending && JSON.stringify(pending) !== sent && !timer) timer = setTimeout(send, TELL_EVERY);
}

function send() {
  timer = 0;
  const text = JSON.stringify(pending);
  if (!hasPointer.peek() || text === sent) return;
  // Without a connection, the first frame after a reconnect calls this again.
  if (!seat?.send({ type: "move", moment: pending })) return;
  sent = text;
  shared = pending;
}

/**
 * Detect that a follower moves on their own. That starts to look around, answers by a click on a node, or is blocked.
 */
function watch() {
  const here = momentHere();
  const now = inClass.value;
  if (!now || now.role !== "follower" || hasPointer.value || away.value || goingBack) return;
  if (here.cluster !== now.cluster) {
    if (here.cluster !== null) away.value = !now.locked;
    if (now.locked) queueMicrotask(backToTeacher);
    return;
  }
  if (!shared || shared.cluster !== now.cluster || store.shown.value === null || isHeld()) return;
  // The teacher's cycle may end before its record is here; another cycle is the user's own move even before it is
  // loaded.
  if (here.step === null && here.cycle === shared.cycle) return;
  if (placeOf(here) === placeOf(shared)) return;
  // The newest cycle comes by itself, for example after a reset; here the pointer decides.
  if (store.following.value) return queueMicrotask(go);
  if (answersByClick(now, here)) return;
  if (now.locked) queueMicrotask(go);
  else away.value = true;
}

function answersByClick({ question }, here) {
  const { node } = here.pinned;
  if (!question?.open || question.kind !== "node" || !node || !question.options.includes(node)) return false;
  if (placeOf({ ...here, pinned: shared.pinned }) !== placeOf(shared)) return false;
  clickedNode.value = node;
  queueMicrotask(go);
  return true;
}

/** Return in a few words where this page is in the class. */
export function standing() {
  const now = inClass.value;
  if (hasPointer.value && now.role === "follower") return _("You have the pointer");
  if (away.value) return _("You look around by yourself");
  if (now.pointer) return fill(_("You follow {name}"), { name: now.pointer.name });
  return _("You follow the teacher");
}
