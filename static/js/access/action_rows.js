/**
 * Rows of the table of actions (palette/table.js). An action: {id, group, label, keys, blocked, run}. `keys`: [{key,
 * shown, ctrl?, single?}]; the user can switch off `single` ones, letters and signs. `blocked()` returns why the action
 * is not possible now, or "".
 */
import { refusal } from "./allowed.js";
import { _ } from "../base/i18n.js";
import { podInView, store } from "../base/store.js";

/** Return a key that is a letter or a sign. */
export const letter = (key, shown = key) => ({ key, shown, single: true });

export const nothing = () => "";
export const needsCluster = () => (store.cluster.value ? "" : _("no cluster is open"));
export const needsCycle = () => needsCluster() || (store.history.value.pod.length ? "" : _("no cycle yet"));
export const needsShown = () => needsCluster() || (store.shown.value ? "" : _("no cycle yet"));
export const needsNode = () => needsCluster() || (store.pinned.value.node ? "" : _("pin a node first"));
export const needsPod = () => needsCluster() || (podInView.value ? "" : _("choose a pod first"));

/** Return the actions of one group, given as rows `[id, label, keys, blocked, run]`. */
export const group = (title, rows) =>
  rows.map(([id, label, keys, blocked, run]) => ({
    id,
    group: title,
    label,
    keys,
    blocked: () => refusal(id) || blocked(),
    run,
  }));
