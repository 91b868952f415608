/** The time that a pod waits, and the label of the button to why. */
import { podName } from "../base/format.js";
import { _, fill } from "../base/i18n.js";
import { store } from "../base/store.js";

/** Seconds of virtual time until the first backoff ends; null when no pod is in backoff. */
export function secondsUntilBackoffEnds() {
  const ends = (store.queue.value?.lanes.backoff ?? []).map((entry) => entry.backoff_until);
  return ends.length ? Math.max(0, Math.min(...ends) - (store.cluster.value?.t ?? 0)) : null;
}

export const whyWaitsLabel = (pod) => fill(_("Why does {pod} wait?"), { pod: podName(pod) });
