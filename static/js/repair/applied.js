/** The repair that was applied last: {pods, repair, cluster}; it can be undone while nothing else is begun. */
import { signal } from "../../vendor/preact.js";
import { store } from "../base/store.js";

export const appliedRepair = signal(null);

/** Whether it is one of the open cluster. */
export const isAppliedHere = () => appliedRepair.value?.cluster === store.cluster.value?.id;

/** The repair by which a pod got its node, if that was the last one. */
export const appliedTo = (pod) =>
  isAppliedHere() && appliedRepair.value.pods.includes(pod) ? appliedRepair.value.repair : null;
