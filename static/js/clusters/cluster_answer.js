/** A server answer about the open cluster, which is fetched again as the cluster changes. */
import { signal } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { reportError } from "../base/notices.js";
import { store } from "../base/store.js";

/**
 * Return {refresh(), current()} of the answer at `part` of the cluster's address. Two requests are at least `rest` ms
 * apart; `isAllowed(id)` returns true if this user can ask.
 */
export function createClusterAnswer(part, rest, isAllowed = (_id) => true) {
  const latest = signal(null); // {id, answer}
  const refresh = coalesce(async () => {
    const id = store.cluster.peek()?.id;
    if (id === undefined || !isAllowed(id)) return;
    try {
      latest.value = { id, answer: await get(clusterPath(id, part)) };
    } catch (error) {
      reportError(error);
    }
  }, rest);
  /** Return the newest answer; null until this cluster has one. */
  const current = () => (latest.value?.id === store.cluster.value?.id ? (latest.value?.answer ?? null) : null);
  return { refresh, current };
}
