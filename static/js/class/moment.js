/** What the pointer shows, read from the page and put onto another one. */
import { batch } from "../../vendor/preact.js";
import { END, show } from "../cycle/moment.js";
import { stopWalking } from "../cycle/walk.js";
import { preferences } from "../base/preferences.js";
import { showTab } from "../base/screen.js";
import { store } from "../base/store.js";
import { refreshNode, refreshPod } from "../cycle/sync.js";
import { level, zoomTo } from "../cluster/zoom.js";

/** The moment on this page, as the stream of a class carries it. Reads signals: an effect follows it. */
export function momentHere() {
  const { cycle, step } = store.cursor.value;
  const shown = store.shown.value;
  // The end of a cycle that is on its way has no number yet.
  const known = step === END ? (shown?.record.cycle.number === cycle ? shown.step : null) : step;
  return {
    cluster: store.cluster.value?.id ?? null,
    cycle,
    step: known,
    pinned: store.pinned.value,
    hovered: store.hovered.value,
    view: store.side.value,
    map: preferences.map.value,
    level: level.value,
    filter: store.filter.value,
  };
}

const pins = ({ pod = null, node = null, plugin = null }) => [pod, node, plugin];

/** What a follower changes to look around: the moment, the selection, the tab; not how the cluster is drawn. */
export const placeOf = (moment) => JSON.stringify([moment.cycle, moment.step, pins(moment.pinned), moment.view]);

/** Put a moment of the open cluster onto the page, all of it at once: half of it would look like somebody's own way. */
export function apply(moment) {
  stopWalking();
  batch(() => {
    store.following.value = false;
    store.pinned.value = { pod: null, node: null, plugin: null, ...moment.pinned };
    store.hovered.value = { node: null, plugin: null, ...moment.hovered };
    if (moment.view) showTab(moment.view);
    if (moment.map) preferences.map.value = moment.map;
    store.filter.value = moment.filter ?? "";
    if (moment.map !== "table" && moment.level && moment.level !== level.peek()) zoomTo(moment.level);
    if (moment.cycle) show(moment.cycle, moment.step ?? END);
  });
  if (moment.pinned.node) refreshNode();
  refreshPod();
}
