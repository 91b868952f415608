/** The address of the page, in sync with the moment. Reload, back and forward restore the moment. */
import { effect } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { addressOfMoment, readMoment } from "../cycle/moment_address.js";
import { showMoment, END } from "../cycle/moment.js";
import { opening } from "../welcome/opening_state.js";
import { playing, store } from "../base/store.js";
import { refreshNode } from "../cycle/sync.js";

const SETTLE = 250;
function restoreMoment() {
  const moment = readMoment();
  store.side.value = moment.view ?? "why";
  if (moment.cluster !== undefined && moment.cluster !== store.cluster.peek()?.id) {
    openCluster(moment.cluster, moment).catch(() => {});
    return;
  }
  store.pinned.value = moment.pinned;
  if (moment.pinned.node) refreshNode();
  if (moment.cycle === undefined) return;
  store.following.value = false;
  showMoment(moment.cycle, moment.step ?? END);
}

/**
 * Sync the address with the screen. Steps replace the history entry; a jump over cycles, another tab or a pin adds one.
 */
export function syncAddress() {
  let timer = 0;
  let place = "";
  let cycle = null;
  let restored = false;
  effect(() => {
    // The opening has no address: a reload shows it again.
    if (opening.value) return;
    const address = addressOfMoment();
    const moving = playing.value;
    const shown = store.shown.value?.record.cycle.number ?? null;
    const pins = JSON.stringify([store.cluster.value?.id, store.pinned.value, store.side.value]);
    clearTimeout(timer);
    // The requested moment is still loading; the address of the old one would be wrong.
    if (shown !== null && store.cursor.value.cycle !== shown) return;
    timer = setTimeout(() => {
      const leapt = cycle !== null && shown !== null && Math.abs(shown - cycle) > 1;
      const jumped = place !== "" && !moving && !restored && (place !== pins || leapt);
      [place, cycle, restored] = [pins, shown, false];
      if (address === location.pathname + location.search) return;
      history[jumped ? "pushState" : "replaceState"](null, "", address);
    }, SETTLE);
  });
  // A restored address stays at its moment, even if more is recorded now.
  window.addEventListener("popstate", () => {
    restored = true;
    restoreMoment();
  });
}
