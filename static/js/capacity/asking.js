/** A capacity question, which the server works on as long as this page asks. */
import { get, of } from "../base/api.js";
import { store } from "../base/store.js";

/**
 * Ask `name` until it is finished; call `tell(value)` with each partial answer. Resolves when it is over or `signal`
 * aborted it; rejects with the error.
 */
export async function askOn(name, query, signal, tell) {
  const place = name === "many" ? ["repairs", name] : ["capacity", name];
  const path = `${of(store.cluster.peek().id, ...place)}?${new URLSearchParams(query)}`;
  try {
    for (;;) {
      const value = await get(path, signal);
      if (signal.aborted) return;
      tell(value);
      if (value.finished) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
