/**
 * Rows of the table of actions (palette/action_table.js). An action: {id, group, label, keys, blocked, run}. `keys`:
 * [{key, shown, ctrl?, single?}]; the user can switch off the keys that are `single` letters or signs. `blocked()`
 * returns why the action is not possible now, or "".
 */
import { refusal } from "./allowed.js";
import { _ } from "../base/i18n.js";
import { podInView, store } from "../base/store.js";

/** Return a key that is a letter or a sign. */
export const singleKey = (key, shown = key) => ({ key, shown, single: true });

export const neverBlocked = () => "";
export const needsCluster = () => (store.cluster.value ? "" : _("no cluster is open"));
export const needsCycle = () => needsCluster() || (store.history.value.pod.length ? "" : _("no cycle yet"));
export const needsShown = () => needsCluster() || (store.shown.value ? "" : _("no cycle yet"));
export const needsNode = () => needsCluster() || (store.pinned.value.node ? "" : _("pin a node first"));
export const needsPod = () => needsCluster() || (podInView.value ? "" : _("choose a pod first"));

/** Return the actions of one group, from rows `[id, label, keys, blocked, run]`. */
export const actionGroup = (title, rows) =>
  rows.map(([id, label, keys, blocked, run]) => ({
    id,
    group: title,
    label,
    keys,
    blocked: () => refusal(id) || blocked(),
    run,
  }));
