/** The workloads and node groups of the open cluster, fetched once for all views. */
import { signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { report } from "../base/notices.js";
import { store } from "../base/store.js";
import { readOnly } from "../access/class_membership.js";
import { isGuest } from "../base/guest.js";

const REST = 300; // ms between two looks while much happens

export const workloadListing = signal(null); // {id, answer}

export const refreshWorkloads = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  // Guests and followers see no present state.
  if (id === undefined || isGuest || readOnly(id)) return;
  try {
    workloadListing.value = { id, answer: await get(of(id, "workloads")) };
  } catch (error) {
    report(error);
  }
}, REST);
