/** An answer of the server about the open cluster, fetched again as the cluster changes. */
import { signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { report } from "../base/notices.js";
import { store } from "../base/store.js";

/** `part` of the cluster's address; at least `rest` ms between two requests: {refresh(), current()}. */
export function openAnswer(part, rest) {
  const latest = signal(null); // {id, answer}
  const refresh = coalesce(async () => {
    const id = store.cluster.peek()?.id;
    if (id === undefined) return;
    try {
      latest.value = { id, answer: await get(of(id, part)) };
    } catch (error) {
      report(error);
    }
  }, rest);
  /** The newest answer; null until there is one of this cluster. */
  const current = () => (latest.value?.id === store.cluster.value?.id ? (latest.value?.answer ?? null) : null);
  return { refresh, current };
}
