/** Actions of teachers and followers in a class. */
import { loadClusters, openCluster } from "../clusters/clusters.js";
import { patch, post, remove } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { dismiss, notify, reportError } from "../base/notices.js";
import { openDialog, showPanel } from "../base/screen.js";
import { atHead, store } from "../base/store.js";
import { joinClass, disconnectClass } from "./class_pointer.js";
import { rememberFork } from "./follower_forks.js";
import { isLookingAround, classPanel, inClass, isTeacher } from "../access/class_membership.js";

const classPath = (...parts) => `classes/${inClass.peek().id}/${parts.map((part) => `${part}/`).join("")}`;

let errorNotice = null; // the notice of the last error

/** Send `request()`, which resolves with the new state of the class. An error shows until the next success. */
async function updateClass(request) {
  try {
    const state = await request();
    dismiss(errorNotice);
    if (state && inClass.peek()?.id === state.id) inClass.value = state;
    return true;
  } catch (error) {
    dismiss(errorNotice);
    errorNotice = await reportError(error);
    return false;
  }
}

/** Open a class with the open cluster, or show this cluster to the open class. */
export const openClass = () =>
  updateClass(async () => {
    const opened = await post("classes/", { cluster: store.cluster.peek().id });
    if (inClass.peek()?.id !== opened.id) joinClass(opened);
    classPanel.value = true;
    showPanel("class");
    return opened;
  });

export function confirmEndClass() {
  openDialog("confirm", {
    title: _("End the class?"),
    text: _("Followers lose access to your cluster. They keep their own copies."),
    action: _("End the class"),
    run: () => updateClass(async () => (await remove(classPath()), disconnectClass())),
  });
}

const setLocked = (locked) => updateClass(() => patch(classPath(), { locked }));
export const handPointer = (follower) => updateClass(() => patch(classPath(), { pointer: follower }));
export const removeFollower = (follower) => updateClass(() => remove(classPath("followers", follower)));
export const askQuestion = (question) => updateClass(() => post(classPath("questions"), question));
export const closeQuestion = () => updateClass(() => post(classPath("questions", "close")));
export const answerQuestion = (number, chosen) =>
  updateClass(() => post(classPath("questions", number, "answer"), { chosen }));

export const leaveClass = () =>
  updateClass(async () => {
    await post(classPath("leave"));
    location.assign("/");
  });

/** Create a follower's own cluster: a copy of the teacher's at the moment on the screen. */
export const forkMoment = () =>
  updateClass(async () => {
    const shown = store.shown.peek();
    const at = atHead.peek() || !shown ? "now" : { cycle: shown.record.cycle.number };
    const fork = await post(classPath("fork"), { at });
    rememberFork(inClass.peek().id, fork.id);
    isLookingAround.value = true;
    await openCluster(fork.id);
    await loadClusters();
    notify(fill(_("{name} is your own copy. You can go back with the button above."), { name: fork.name }));
  });

const classLink = () => `${location.origin}/join/${inClass.value.code}/`;

export async function copyClassLink() {
  try {
    await navigator.clipboard.writeText(classLink());
    notify(_("Join link copied."));
  } catch {
    notify(classLink());
  }
}

export const toggleLock = () => setLocked(!inClass.peek().locked);
export const isShownToClass = () => isTeacher.value && inClass.value.cluster === store.cluster.value?.id;
