/** The moment of the pointer: read from one page and applied to another. */
import { batch } from "../../vendor/preact.js";
import { END, showMoment } from "../cycle/moment.js";
import { stopPlayback } from "../cycle/playback.js";
import { preferences } from "../base/preferences.js";
import { showTab } from "../base/screen.js";
import { store } from "../base/store.js";
import { refreshNode, refreshPod } from "../cycle/sync.js";
import { level, zoomTo } from "../cluster/zoom_level.js";

/** Return the moment on this page in the format of the class stream. It reads signals, so an effect can follow it. */
export function readPointerMoment() {
  const { cycle, step } = store.cursor.value;
  const shown = store.shown.value;
  // A cycle that has not arrived has no number yet.
  const knownStep = step === END ? (shown?.record.cycle.number === cycle ? shown.step : null) : step;
  return {
    cluster: store.cluster.value?.id ?? null,
    cycle,
    step: knownStep,
    pinned: store.pinned.value,
    hovered: store.hovered.value,
    view: store.side.value,
    map: preferences.map.value,
    level: level.value,
    filter: store.filter.value,
  };
}

const listPins = ({ pod = null, node = null, plugin = null }) => [pod, node, plugin];

/** Return a key of what a follower changes to look around: moment, selection, tab; not how nodes are drawn. */
export const placeKey = (moment) => JSON.stringify([moment.cycle, moment.step, listPins(moment.pinned), moment.view]);

/** Apply a moment of the open cluster in one batch; a partial one would look like the user's own move. */
export function applyPointerMoment(moment) {
  stopPlayback();
  batch(() => {
    store.following.value = false;
    store.pinned.value = { pod: null, node: null, plugin: null, ...moment.pinned };
    store.hovered.value = { node: null, plugin: null, ...moment.hovered };
    if (moment.view) showTab(moment.view);
    if (moment.map) preferences.map.value = moment.map;
    store.filter.value = moment.filter ?? "";
    if (moment.map !== "table" && moment.level && moment.level !== level.peek()) zoomTo(moment.level);
    if (moment.cycle) showMoment(moment.cycle, moment.step ?? END);
  });
  if (moment.pinned.node) refreshNode();
  refreshPod();
}
