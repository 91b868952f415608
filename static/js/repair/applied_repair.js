/** The last applied repair: {pods, repair, cluster}; it can be undone until the next change. */
import { signal } from "../../vendor/preact.js";
import { store } from "../base/store.js";

export const appliedRepair = signal(null);

/** Return true if it belongs to the open cluster. */
export const isAppliedHere = () => appliedRepair.value?.cluster === store.cluster.value?.id;

/** Return the repair that gave a pod its node, if it was the last one. */
export const appliedTo = (pod) =>
  isAppliedHere() && appliedRepair.value.pods.includes(pod) ? appliedRepair.value.repair : null;
