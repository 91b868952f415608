/** The lesson of the open cluster. lesson_progress.js fetches it, and is loaded with the first lesson. */
import { effect, signal } from "../../vendor/preact.js";
import { isReadOnly } from "../access/class_membership.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";

/** {cluster, text, checks: {id: {form, done, …}}, step}; null if the open cluster has no lesson. */
export const lesson = signal(null);
/** True if the page must move the focus to the text. */
export const arriving = signal(false);

/** Move the focus to the lesson's text, and open its tab on a narrow page. */
export function arrive() {
  showPanel("lesson");
  requestAnimationFrame(() => (arriving.value = true));
}

/** Follow the open cluster: call `load(cluster)` when it belongs to a lesson. */
export function followLessons(load) {
  let opened = null;
  effect(() => {
    const cluster = store.cluster.value;
    // A follower sees the lesson's cluster, but the progress is the teacher's.
    const key = cluster?.lesson && !isReadOnly(cluster.id) ? cluster.id : null;
    if (key === opened) return;
    opened = key;
    lesson.value = null;
    if (key) load(cluster);
  });
}
