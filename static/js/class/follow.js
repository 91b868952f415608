/** Being in a class: the pointer's page tells where it is, the others go there unless they look around. */
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
let shared = null; // what the pointer shows
let sent = null; // the position that was sent last, as text
let pending = null; // the position to send when the timer ends
let timer = 0;
let held = null; // from this cycle on nothing came to this page
let isStale = false; // that has changed since the cluster was read
let goingBack = false; // the cluster of the class is on its way to this page

/**
 * Take part in a class, as {id, …} of the API. A follower's page comes with the class, and says when it has `arrived`.
 */
export function enter(found) {
  leaveSeat();
  goingBack = found.role === "follower";
  inClass.value = found;
  shared = found.moment;
  seat = sit(found.id, { frame: take, over: end });
  held = heldFrom.peek();
  stops = [effect(tell), effect(watch), effect(hold)];
}

/** The page has opened a cluster: from now on it follows. */
export function arrived() {
  goingBack = false;
  if (isStale && inClass.peek()) readAgain(held);
  else go();
}

/** This page is in no class any more; the socket says so, or the user. */
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
    // What is this page's own comes with the first frame and with answers only.
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

/** What a question is about leaves the page until it is answered, and comes back then. */
function hold() {
  const from = heldFrom.value;
  if (from === held) return;
  const before = held;
  held = from;
  // An answer brings along where the pointer is, which was held back too.
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
    // It says so itself.
  }
  arrived();
}

/** Is the pointer where this page may not look yet? */
const isHeld = () => held !== null && shared?.cycle >= held;

/** Go where the pointer is, unless this page has it, its user looks around, or what is there is held back. */
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

/** Back to what the teacher, or who has the pointer, shows. */
export async function backToTeacher() {
  const { cluster } = inClass.peek();
  goingBack = true;
  away.value = false;
  try {
    if (store.cluster.peek()?.id !== cluster) await openCluster(cluster);
  } catch {
    // It says so itself; there is nothing to go back to.
  }
  arrived();
}

/** Tell where this page is, if it has the pointer; not more often than an eye can follow. */
function tell() {
  const here = momentHere();
  const text = JSON.stringify(here);
  if (!hasPointer.value || here.cluster !== inClass.value.cluster || (here.cycle > 0 && here.step === null)) return;
  // Who comes back, or opens a second page, shows nothing new until they move.
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
  // Without a connection it is told when there is one: its first frame comes back here.
  if (!seat?.send({ type: "move", moment: pending })) return;
  sent = text;
  shared = pending;
}

/**
 * Notice that a follower goes their own way: that is looking around, a click on a node that answers, or not allowed
 * now.
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
  // The end of the teacher's cycle may still be on its way; another cycle is somebody's own way before it is here.
  if (here.step === null && here.cycle === shared.cycle) return;
  if (placeOf(here) === placeOf(shared)) return;
  // The newest cycle comes by itself, as after a reset; here the pointer leads.
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

/** Where this page is in the class, in a few words. */
export function standing() {
  const now = inClass.value;
  if (hasPointer.value && now.role === "follower") return _("You have the pointer");
  if (away.value) return _("You look around by yourself");
  if (now.pointer) return fill(_("You follow {name}"), { name: now.pointer.name });
  return _("You follow the teacher");
}
