/** The class that this page takes part in, as signals. The views and actions of classes are in class/. */
import { computed, signal } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";

/**
 * The class as the server sends it: {id, role, cluster, locked, pointer, question, me, code?, followers?}; null for
 * none.
 */
export const inClass = signal(null);
export const isLookingAround = signal(false);
/** True if the panel of the class is open. */
export const classPanel = signal(false);
/** The class that has ended for this follower: {name, forks: [cluster]}; null for none. */
export const endedClass = signal(null);
/** The node that a follower clicked as an answer; null for none. */
export const clickedNode = signal(null);

export const isTeacher = computed(() => inClass.value?.role === "teacher");
export const isFollower = computed(() => inClass.value?.role === "follower");

/** The first cycle whose results the server withholds until this follower has answered; null for none. */
export const withheldFrom = computed(() => {
  const { role, question, me } = inClass.value ?? {};
  return role === "follower" && question?.open && (me?.chosen ?? null) === null ? question.hides : null;
});

/** True if this page controls the shared pointer. */
export const hasPointer = computed(() => {
  const membership = inClass.value;
  if (!membership) return false;
  return membership.role === "teacher" ? membership.pointer === null : membership.pointer?.id === membership.me?.id;
});

/** Return true for the teacher's cluster: a follower cannot change it. */
export const isReadOnly = (cluster) => isFollower.peek() && inClass.peek().cluster === cluster;

/** Return why a follower cannot write to an API path; "" if they can. */
export function explainWriteRefusal(path) {
  const [, cluster] = path.match(/^clusters\/(\d+)\//) ?? [];
  return cluster && isReadOnly(Number(cluster)) ? _("This is the teacher's cluster. Fork it to try something.") : "";
}
