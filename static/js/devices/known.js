/**
 * Does the open cluster have devices? Asked once, and after each change: where there are none, nothing of them is
 * loaded.
 */
import { computed, effect, signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { store } from "../base/store.js";

export const hasDevices = signal(false);

const opened = computed(() => store.cluster.value?.id ?? null);
const changed = computed(() => store.changes.value[0]?.number ?? 0);

let newest = 0; // the question whose answer counts

effect(() => {
  const id = opened.value;
  changed.value;
  newest += 1;
  const mine = newest;
  if (id === null) return void (hasDevices.value = false);
  get(`${of(id, "objects")}?kind=ResourceSlice&limit=1`).then(
    ({ total }) => mine === newest && (hasDevices.value = total > 0),
    () => {}, // what is held back from a class is not told
  );
});
