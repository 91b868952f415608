/** Requests of a capacity question, which the server computes only while the page keeps requesting it. */
import { get, clusterPath } from "../base/api.js";
import { store } from "../base/store.js";

/**
 * Request the question `name` until its answer is finished; call `onAnswer(value)` with each partial answer. Resolves
 * when the answer is finished or `signal` aborted it; rejects with the error.
 */
export async function pollCapacity(name, query, signal, onAnswer) {
  const parts = name === "many" ? ["repairs", name] : ["capacity", name];
  const path = `${clusterPath(store.cluster.peek().id, ...parts)}?${new URLSearchParams(query)}`;
  try {
    for (;;) {
      const value = await get(path, signal);
      if (signal.aborted) return;
      onAnswer(value);
      if (value.finished) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
