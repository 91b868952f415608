/** The address of a moment: ?cluster=&t=<cycle>.<step>&pod=&node=&plugin=&view=. */
import { store } from "../base/store.js";

const VIEWS = ["why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile"];

/** Return the moment that an address names; absent parts are null or undefined. */
export function readMoment(search = location.search) {
  const query = new URLSearchParams(search);
  const position = query.get("t")?.match(/^(\d+)(?:\.(\d+))?$/);
  return {
    cluster: query.has("cluster") ? Number(query.get("cluster")) || query.get("cluster") : undefined,
    cycle: position ? Number(position[1]) : undefined,
    step: position?.[2] === undefined ? undefined : Number(position[2]),
    pinned: { pod: query.get("pod"), node: query.get("node"), plugin: query.get("plugin") },
    view: VIEWS.includes(query.get("view")) ? query.get("view") : null,
  };
}

export function addressOfMoment() {
  const query = new URLSearchParams();
  const cluster = store.cluster.value;
  if (!cluster) return location.pathname;
  query.set("cluster", cluster.id);
  const shown = store.shown.value;
  if (shown) query.set("t", `${shown.record.cycle.number}.${shown.step}`);
  for (const [name, value] of Object.entries(store.pinned.value)) if (value) query.set(name, value);
  if (store.side.value !== "why") query.set("view", store.side.value);
  return `${location.pathname}?${query.toString().replaceAll("%2F", "/")}`;
}
