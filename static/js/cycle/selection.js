/** The shared selection: hovering previews, clicking pins; all views highlight it. */
import { showPanel, showTab } from "../base/screen.js";
import { store } from "../base/store.js";
import { refreshNode, refreshPod } from "./sync.js";

export function hover(part) {
  const now = store.hovered.peek();
  const next = { ...now, ...part };
  if (next.node !== now.node || next.plugin !== now.plugin) store.hovered.value = next;
}

/** Pin a node, or unpin it if it is pinned. */
export function pinNode(name) {
  const node = store.pinned.peek().node === name ? null : name;
  store.pinned.value = { ...store.pinned.peek(), node };
  if (node) refreshNode();
}

/**
 * Pin a node and open its tab, like a click on a pod; if the scores are shown and exist, they stay. Unpin a pinned one.
 */
export function chooseNode(name) {
  pinNode(name);
  // A single feasible node is not scored.
  const showsScores = store.side.peek() === "scores" && store.shown.peek()?.record.cycle.nodes?.feasible > 1;
  if (store.pinned.peek().node) openSideTab(showsScores ? "scores" : "node");
}

/** Pin a plugin along with the pinned node; without one, do nothing. */
export function pinPlugin(plugin) {
  const pinned = store.pinned.peek();
  store.pinned.value = { ...pinned, plugin: pinned.node ? plugin : null };
}

export function pinPod(pod) {
  store.pinned.value = { ...store.pinned.peek(), pod };
  refreshPod();
}

/** Open a tab of the right panel, and show that panel on a narrow page. */
export function openSideTab(tab) {
  showTab(tab);
  showPanel("details");
}

export function unpinAll() {
  store.pinned.value = { pod: null, node: null, plugin: null };
}
