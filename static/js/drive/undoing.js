/** Undo and redo of change sets: one change of the page, an import, or the changes of one kubectl command. */
import { of, post } from "../base/api.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { textOf } from "../base/sentence.js";
import { store } from "../base/store.js";
import { reportEffectOf, whileBusy } from "./run.js";

const ways = {
  undo: {
    next: "can_undo",
    label: () => _("Undoing"),
    one: () => _("Undone: {what}"),
    many: (count) => ngettext("{n} change undone.", "{n} changes undone.", count),
  },
  redo: {
    next: "can_redo",
    label: () => _("Redoing"),
    one: () => _("Redone: {what}"),
    many: (count) => ngettext("{n} change redone.", "{n} changes redone.", count),
  },
};

let underWay = null; // {way, ended}: a promise of its end

/** Undo or redo (`way`) `count` change sets. */
export async function takeBack(way, count = 1) {
  // A change of direction waits for everything in progress.
  while (underWay && underWay.way !== way) await underWay.ended;
  const mine = { way, ended: go(way, count) };
  underWay ??= mine;
  await mine.ended;
  if (underWay === mine) underWay = null;
}

async function go(way, count) {
  const { next, label, one, many } = ways[way];
  const { id, [next]: change } = store.cluster.peek();
  const isNext = () => {
    const now = store.cluster.peek();
    return now.id === id && now[next]?.number === change?.number;
  };
  let changes = 0;
  const ask = async () => {
    const accepted = await post(of(id, way));
    changes += accepted.changes;
    return accepted;
  };
  try {
    let ended = null;
    let n = 0;
    do {
      // The user has not seen the change that a second press would undo.
      ended = await whileBusy(label(), ask, n === 0 ? isNext : undefined);
      if (ended?.problems?.length) return report(ended);
      if (ended?.state !== "done") return undefined;
      n += 1;
    } while (n < count);
    notify(changes === 1 ? fill(one(), { what: textOf(change, "what") }) : many(changes));
    reportEffectOf(ended.number);
  } catch (error) {
    report(error);
  }
  return undefined;
}
