/**
 * An action of the page: {id, group, label, keys, blocked, run}. `keys`: [{key, shown, ctrl?, single?}], `single` ones
 * being the letters and signs that can be switched off; `blocked()` says in words why it cannot be done now, "" when it
 * can.
 */
import { refusal } from "../shell/allowed.js";
import { _ } from "../base/i18n.js";
import { lesson } from "../lesson/state.js";
import { podInView, store } from "../base/store.js";

/** A key that is a letter or a sign. */
export const letter = (key, shown = key) => ({ key, shown, single: true });

export const nothing = () => "";
export const needsCluster = () => (store.cluster.value ? "" : _("no cluster is open"));
export const needsLesson = () => (lesson.value ? "" : _("this cluster is no lesson's"));
export const needsCycle = () => needsCluster() || (store.history.value.pod.length ? "" : _("no cycle yet"));
export const needsShown = () => needsCluster() || (store.shown.value ? "" : _("no cycle yet"));
export const needsNode = () => needsCluster() || (store.pinned.value.node ? "" : _("pin a node first"));
export const needsPod = () => needsCluster() || (podInView.value ? "" : _("choose a pod first"));

/** Rows `[id, label, keys, blocked, run]` of one group as actions. */
export const group = (title, rows) =>
  rows.map(([id, label, keys, blocked, run]) => ({
    id,
    group: title,
    label,
    keys,
    blocked: () => refusal(id) || blocked(),
    run,
  }));
