/** The workloads and node groups of the open cluster, fetched once for all views. */
import { isReadOnly } from "../access/class_membership.js";
import { isGuest } from "../base/guest.js";
import { createClusterAnswer } from "./cluster_answer.js";

const REST = 300; // ms between two requests during fast changes

// Guests and followers cannot read the present state.
export const workloads = createClusterAnswer("workloads", REST, (id) => !isGuest && !isReadOnly(id));
