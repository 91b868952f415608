/** Actions of teachers and followers in a class. */
import { loadClusters, openCluster } from "../clusters/clusters.js";
import { patch, post, remove } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { dismiss, notify, report } from "../base/notices.js";
import { openDialog, showPanel } from "../base/screen.js";
import { atHead, store } from "../base/store.js";
import { enter, leaveSeat } from "./follow.js";
import { remember } from "./forks.js";
import { away, classPanel, inClass, isTeacher } from "../access/class_membership.js";

const path = (...parts) => `classes/${inClass.peek().id}/${parts.map((part) => `${part}/`).join("")}`;

let fault = null; // the notice of the last error

/** Run `work`, whose result is the new state of the class. An error shows until the next success. */
async function update(work) {
  try {
    const found = await work();
    dismiss(fault);
    if (found && inClass.peek()?.id === found.id) inClass.value = found;
    return true;
  } catch (error) {
    dismiss(fault);
    fault = await report(error);
    return false;
  }
}

/** Open a class with the open cluster, or show this cluster to the open class. */
export const openClass = () =>
  update(async () => {
    const found = await post("classes/", { cluster: store.cluster.peek().id });
    if (inClass.peek()?.id !== found.id) enter(found);
    classPanel.value = true;
    showPanel("class");
    return found;
  });

export function askEnd() {
  openDialog("confirm", {
    title: _("End the class?"),
    text: _("Its followers see your cluster no more. What they forked stays theirs."),
    action: _("End the class"),
    run: () => update(async () => (await remove(path()), leaveSeat())),
  });
}

export const lock = (locked) => update(() => patch(path(), { locked }));
export const handPointer = (follower) => update(() => patch(path(), { pointer: follower }));
export const takeOut = (follower) => update(() => remove(path("followers", follower)));
export const ask = (question) => update(() => post(path("questions"), question));
export const closeQuestion = () => update(() => post(path("questions", "close")));
export const answer = (number, chosen) => update(() => post(path("questions", number, "answer"), { chosen }));

export const leaveClass = () =>
  update(async () => {
    await post(path("leave"));
    location.assign("/");
  });

/** Create a follower's own cluster: a copy of the teacher's at the moment on the screen. */
export const forkMoment = () =>
  update(async () => {
    const shown = store.shown.peek();
    const at = atHead.peek() || !shown ? "now" : { cycle: shown.record.cycle.number };
    const made = await post(path("fork"), { at });
    remember(inClass.peek().id, made.id);
    away.value = true;
    await openCluster(made.id);
    await loadClusters();
    notify(fill(_("{name} is yours: try what you like. The way back is above."), { name: made.name }));
  });

const classLink = () => `${location.origin}/join/${inClass.value.code}/`;

export async function copyClassLink() {
  try {
    await navigator.clipboard.writeText(classLink());
    notify(_("The link to join is in the clipboard."));
  } catch {
    notify(classLink());
  }
}

export const toggleLock = () => lock(!inClass.peek().locked);
export const shows = () => isTeacher.value && inClass.value.cluster === store.cluster.value?.id;
