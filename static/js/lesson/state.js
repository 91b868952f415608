/** The lesson that the open cluster belongs to. lesson/walk.js loads it, and comes with the first lesson. */
import { effect, signal } from "../../vendor/preact.js";
import { readOnly } from "../access/class_membership.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";

/** {cluster, text, checks: {id: {form, done, …}}, step}; null where the open cluster is no lesson's. */
export const lesson = signal(null);
/** The reader is to be brought to the text. */
export const arriving = signal(false);

/** Bring the reader to the lesson's text: the focus is there, and where there are tabs it is open. */
export function arrive() {
  showPanel("lesson");
  requestAnimationFrame(() => (arriving.value = true));
}

/** Follow the open cluster: `load(cluster)` is called when one of a lesson is opened. */
export function followLessons(load) {
  let opened = null;
  effect(() => {
    const cluster = store.cluster.value;
    // A follower sees the lesson's cluster, but it is the teacher's walk.
    const key = cluster?.lesson && !readOnly(cluster.id) ? cluster.id : null;
    if (key === opened) return;
    opened = key;
    lesson.value = null;
    if (key) load(cluster);
  });
}
