/** The zoom level of the cluster: groups as tiles, nodes as cells, nodes as cards; and their colors. */
import { computed, effect, signal } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { layout } from "../nodes/nodes_model.js";
import { preferences } from "../base/preferences.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";

export const LEVELS = ["groups", "cells", "nodes"];

/** The level that the user chose; null: the nearest at which all nodes fit. */
const chosenLevel = signal(null);
/** The nearest level at which all nodes fit, which the view measures. */
const fittingLevel = signal("nodes");
/** The node that the next level shows first. */
export const focusNode = signal(null);

export const level = computed(() => chosenLevel.value ?? fittingLevel.value);

export const setFittingLevel = (newLevel) => {
  if (fittingLevel.peek() !== newLevel) fittingLevel.value = newLevel;
};

export const levelText = (name) => ({ groups: _("groups"), cells: _("cells"), nodes: _("nodes") })[name];

/** Set the level and show the cluster. */
export function zoomTo(name, node = null) {
  focusNode.value = node ?? store.pinned.peek().node ?? store.shown.peek()?.record.cycle.node ?? null;
  chosenLevel.value = name;
  preferences.map.value = "map";
  showPanel("cluster");
}

/** Change the level by one: nearer (1) or further (−1); it stops at the ends. */
export function zoomBy(way, node = null) {
  const next = LEVELS[LEVELS.indexOf(level.peek()) + way];
  if (next) zoomTo(next, node);
}

/** Set the next nearer level; after the nearest, the furthest. */
export function zoomToNext() {
  zoomTo(LEVELS[(LEVELS.indexOf(level.peek()) + 1) % LEVELS.length]);
}

/** The resource whose use colors the nodes; "": each node's fullest. */
export const colourResource = computed(() =>
  layout.value?.resources.includes(preferences.colourResource.value) ? preferences.colourResource.value : "",
);

// Another cluster starts at the level at which all of it fits.
let levelCluster = null;
effect(() => {
  const id = store.cluster.value?.id ?? null;
  if (id === levelCluster) return;
  levelCluster = id;
  chosenLevel.value = null;
});
