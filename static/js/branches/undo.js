/** Undo and redo of what was changed in the cluster, one change at a time. */
import { of, post } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { textOf } from "../explain/sentence.js";
import { store } from "../base/store.js";
import { tellEffectOf, whileBusy } from "../drive/run.js";

/** `way`: undo or redo. */
async function go(way, change, label, done) {
  try {
    const ended = await whileBusy(label, () => post(of(store.cluster.peek().id, way)));
    if (ended?.problems?.length) report(ended);
    else if (ended?.state === "done") {
      notify(fill(done, { what: textOf(change, "what") }));
      tellEffectOf(ended.number);
    }
  } catch (error) {
    report(error);
  }
}

export const undo = () => go("undo", store.cluster.peek().can_undo, _("Undoing"), _("Undone: {what}"));
export const redo = () => go("redo", store.cluster.peek().can_redo, _("Redoing"), _("Redone: {what}"));
