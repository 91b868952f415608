/** Undo and redo of what was changed in the cluster, one change at a time. */
import { of, post } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { textOf } from "../explain/sentence.js";
import { store } from "../base/store.js";
import { tellEffectOf, whileBusy } from "../drive/run.js";

/** `way`: undo or redo; `name`: where a cluster names the change that is next. */
async function go(way, name, label, done) {
  const { id, [name]: change } = store.cluster.peek();
  const isNext = () => {
    const now = store.cluster.peek();
    return now.id === id && now[name]?.number === change?.number;
  };
  try {
    // Nobody has seen yet what a second press would take back.
    const ended = await whileBusy(label, () => post(of(id, way)), isNext);
    if (ended?.problems?.length) report(ended);
    else if (ended?.state === "done") {
      notify(fill(done, { what: textOf(change, "what") }));
      tellEffectOf(ended.number);
    }
  } catch (error) {
    report(error);
  }
}

export const undo = () => go("undo", "can_undo", _("Undoing"), _("Undone: {what}"));
export const redo = () => go("redo", "can_redo", _("Redoing"), _("Redone: {what}"));
