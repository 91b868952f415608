/** How near the cluster is looked at: groups as tiles, nodes as cells, nodes as cards; and what their colours mean. */
import { computed, effect, signal } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { layout } from "../nodes/nodes_model.js";
import { preferences } from "../base/preferences.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";

export const LEVELS = ["groups", "cells", "nodes"];

/** The level asked for; null: the nearest at which all nodes fit. */
const wish = signal(null);
/** The nearest level at which all nodes fit, as the view found it. */
const fitting = signal("nodes");
/** The node that the next, nearer level shows first. */
export const focusNode = signal(null);

export const level = computed(() => wish.value ?? fitting.value);

export const fits = (found) => {
  if (fitting.peek() !== found) fitting.value = found;
};

export const levelWord = (name) => ({ groups: _("groups"), cells: _("cells"), nodes: _("nodes") })[name];

/** Look at the cluster from this level, and make sure that it is looked at. */
export function zoomTo(name, node = null) {
  focusNode.value = node ?? store.pinned.peek().node ?? store.shown.peek()?.record.cycle.node ?? null;
  wish.value = name;
  preferences.map.value = "map";
  showPanel("cluster");
}

/** One level nearer (1) or further (−1); stays at the ends. */
export function zoomBy(way, node = null) {
  const next = LEVELS[LEVELS.indexOf(level.peek()) + way];
  if (next) zoomTo(next, node);
}

/** The next nearer level; after the nearest the furthest again. */
export function zoomOn() {
  zoomTo(LEVELS[(LEVELS.indexOf(level.peek()) + 1) % LEVELS.length]);
}

/** The resource whose use colours the nodes; "": each node's fullest. */
export const colourResource = computed(() =>
  layout.value?.resources.includes(preferences.colourResource.value) ? preferences.colourResource.value : "",
);

// Another cluster is looked at from where all of it fits.
let of = null;
effect(() => {
  const id = store.cluster.value?.id ?? null;
  if (id === of) return;
  of = id;
  wish.value = null;
});
