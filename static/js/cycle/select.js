/** The shared selection: hover previews, click pins; everything highlights the same thing. */
import { showPanel, showTab } from "../base/screen.js";
import { store } from "../base/store.js";
import { refreshNode, refreshPod } from "./sync.js";

export function hover(part) {
  const now = store.hovered.peek();
  const next = { ...now, ...part };
  if (next.node !== now.node || next.plugin !== now.plugin) store.hovered.value = next;
}

/** Pin a node; pinning the pinned one again lets go of it. */
export function pinNode(name) {
  const node = store.pinned.peek().node === name ? null : name;
  store.pinned.value = { ...store.pinned.peek(), node };
  if (node) refreshNode();
}

/**
 * Click on a node: pin it and open its tab, as a click on a pod does; where scores are shown, and there are some, they
 * follow. Again: let go.
 */
export function chooseNode(name) {
  pinNode(name);
  // A single feasible node is not scored.
  const showsScores = store.side.peek() === "scores" && store.shown.peek()?.record.cycle.nodes?.feasible > 1;
  if (store.pinned.peek().node) openSide(showsScores ? "scores" : "node");
}

/** Pin a plugin along with the node that was just pinned; without a pinned node there is none. */
export function pinPlugin(plugin) {
  const pinned = store.pinned.peek();
  store.pinned.value = { ...pinned, plugin: pinned.node ? plugin : null };
}

export function pinPod(pod) {
  store.pinned.value = { ...store.pinned.peek(), pod };
  refreshPod();
}

/** Look at one thing in the right panel, and bring that panel up where the layout is narrow. */
export function openSide(tab) {
  showTab(tab);
  showPanel("details");
}

export function unpinAll() {
  store.pinned.value = { pod: null, node: null, plugin: null };
}
