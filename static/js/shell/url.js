/** Keeps the address of the page and the moment on the screen the same. Reload, back and forward restore the moment. */
import { effect } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { addressOfMoment, readMoment } from "../cycle/address.js";
import { show, END } from "../cycle/moment.js";
import { opening } from "../welcome/state.js";
import { playing, store } from "../base/store.js";
import { refreshNode } from "../cycle/sync.js";

const SETTLE = 250;
function restore() {
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
  show(moment.cycle, moment.step ?? END);
}

/**
 * Keep address and screen the same. Steps along the way replace the address; a jump over cycles, another tab or a pin
 * is a place to come back to.
 */
export function syncAddress() {
  let timer = 0;
  let place = "";
  let cycle = null;
  let restored = false;
  effect(() => {
    // The opening is at no address: whoever loads it again sees it again.
    if (opening.value) return;
    const address = addressOfMoment();
    const moving = playing.value;
    const shown = store.shown.value?.record.cycle.number ?? null;
    const pins = JSON.stringify([store.cluster.value?.id, store.pinned.value, store.side.value]);
    clearTimeout(timer);
    // What was asked for is still on its way: the address of what it replaces would be no place that anybody was at.
    if (shown !== null && store.cursor.value.cycle !== shown) return;
    timer = setTimeout(() => {
      const leapt = cycle !== null && shown !== null && Math.abs(shown - cycle) > 1;
      const jumped = place !== "" && !moving && !restored && (place !== pins || leapt);
      [place, cycle, restored] = [pins, shown, false];
      if (address === location.pathname + location.search) return;
      history[jumped ? "pushState" : "replaceState"](null, "", address);
    }, SETTLE);
  });
  // Whoever came back to an address is at that place, however much more of it is known by now: what lay ahead stays
  // ahead.
  window.addEventListener("popstate", () => {
    restored = true;
    restore();
  });
}
