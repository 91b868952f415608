/** The workloads and node groups of the open cluster, fetched once for all views. */
import { readOnly } from "../access/class_membership.js";
import { isGuest } from "../base/guest.js";
import { openAnswer } from "./open_answer.js";

const REST = 300; // ms between two requests during fast changes

// Guests and followers cannot read the present state.
export const workloads = openAnswer("workloads", REST, (id) => !isGuest && !readOnly(id));
