/** What the panel of workloads changes. */
import { of, post } from "../base/api.js";
import { report } from "../base/notices.js";
import { store } from "../base/store.js";

/** Say how the cluster's time goes: `{live}` or `{seconds_per_second}`. */
export async function setTime(wanted) {
  const { id } = store.cluster.peek();
  try {
    const state = await post(of(id, "pace"), wanted);
    if (store.cluster.peek()?.id === id) store.cluster.value = state;
  } catch (error) {
    report(error);
  }
}
