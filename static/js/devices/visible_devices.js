/** The devices of visible nodes before the cycle on the screen. */
import { effect, signal } from "../../vendor/preact.js";
import { cycleToRequest, visibleNodes } from "../nodes/pods_on_nodes.js";
import { get, clusterPath } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { store } from "../base/store.js";
import { hasDevices } from "../nodes/nodes_model.js";

/** Map node → {total, counts, tainted, devices, omitted}. */
export const devices = signal(new Map());

let answeredFor = "";

const refresh = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (!id || !visibleNodes.peek().length || !hasDevices.peek()) return;
  const past = cycleToRequest();
  const names = visibleNodes.peek().map(encodeURIComponent).join(",");
  const question = `nodes=${names}${past === null ? "" : `&cycle=${past}`}`;
  const moment = `${id} ${past ?? store.cluster.peek().revision} ${question}`;
  if (moment === answeredFor) return;
  try {
    const { nodes } = await get(`${clusterPath(id, "devices")}?${question}`);
    if (store.cluster.peek()?.id !== id) return;
    answeredFor = moment;
    devices.value = new Map(nodes.map((entry) => [entry.node, entry]));
  } catch {
    // The cards then have no cells; the Node tab reports the error.
  }
}, 400);

effect(() => {
  visibleNodes.value;
  store.shown.value;
  store.cluster.value?.revision;
  refresh();
});
