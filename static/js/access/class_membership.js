/** The class that this page takes part in: signals of it. The views and actions of classes are in class/. */
import { computed, signal } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";

/**
 * The class as the server shows it: {id, role, cluster, locked, pointer, question, me, code?, followers?}; null: none.
 */
export const inClass = signal(null);
/** A follower looks around by themselves. */
export const away = signal(false);
/** Is the class's panel open? */
export const classPanel = signal(false);
/** The class that has ended for this follower: {name, forks: [cluster]}; null: none. */
export const over = signal(null);
/** The node that a follower clicked as an answer; null for none. */
export const clickedNode = signal(null);

export const isTeacher = computed(() => inClass.value?.role === "teacher");
export const isFollower = computed(() => inClass.value?.role === "follower");

/**
 * The cycle from which on the server holds back what happens, until this follower has answered; null: nothing is held
 * back.
 */
export const heldFrom = computed(() => {
  const { role, question, me } = inClass.value ?? {};
  return role === "follower" && question?.open && (me?.chosen ?? null) === null ? question.hides : null;
});

/** Does this page move what everybody sees? */
export const hasPointer = computed(() => {
  const now = inClass.value;
  if (!now) return false;
  return now.role === "teacher" ? now.pointer === null : now.pointer?.id === now.me?.id;
});

/** Return true for the teacher's cluster: a follower cannot change it. */
export const readOnly = (cluster) => isFollower.peek() && inClass.peek().cluster === cluster;

/** Return why a follower must not write to an API path; "" if they may. */
export function refusalOfWrite(path) {
  const [, cluster] = path.match(/^clusters\/(\d+)\//) ?? [];
  return cluster && readOnly(Number(cluster))
    ? _("This is the teacher's cluster: you can look at it. Fork the moment to try something.")
    : "";
}
