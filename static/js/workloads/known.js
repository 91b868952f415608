/** What is known of the open cluster's workloads and node groups; panel and cards read the same answer. */
import { signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { report } from "../base/notices.js";
import { store } from "../base/store.js";
import { readOnly } from "../class/state.js";
import { isGuest } from "../share/guest.js";

const REST = 300; // ms between two looks while much happens

export const known = signal(null); // {id, answer}

export const look = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  // What stands there now is its owner's to see.
  if (id === undefined || isGuest || readOnly(id)) return;
  try {
    known.value = { id, answer: await get(of(id, "workloads")) };
  } catch (error) {
    report(error);
  }
}, REST);
