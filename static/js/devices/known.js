/** Does the open cluster have devices? Where there are none, nothing of them is loaded. */
import { computed } from "../../vendor/preact.js";
import { store } from "../base/store.js";

export const hasDevices = computed(() => (store.cluster.value?.counts.ResourceSlice ?? 0) > 0);
