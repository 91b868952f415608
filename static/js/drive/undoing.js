/** Undoes and redoes changes: one change, or all that a client made together. */
import { get, of, post } from "../base/api.js";
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

/** A command of kubectl may have changed much, which nobody wants to take back piece by piece. */
async function together(id, way, change) {
  // Whose change a redo makes again is not told by the undo that it takes back.
  if (way === "undo" && !change?.client) return 1;
  return (await get(of(id, "clients")))[way];
}

let underWay = null; // {way, ended}: a promise of its end

/** Undo or redo (`way`) so many changes; without `count` what goes together. */
export async function takeBack(way, count) {
  // Who turns round means all of what is under way, and what that is, is known when it has ended.
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
  let total = count;
  // What goes together is asked when it is this one's turn: before, the change may not be done yet.
  const ask = async () => {
    total ??= Math.max(1, await together(id, way, change));
    return post(of(id, way));
  };
  try {
    let ended = null;
    let n = 0;
    do {
      // Nobody has seen yet what a second press would take back.
      ended = await whileBusy(label(), ask, n === 0 ? isNext : undefined);
      if (ended?.problems?.length) return report(ended);
      if (ended?.state !== "done") return undefined;
      n += 1;
    } while (n < total);
    notify(total === 1 ? fill(one(), { what: textOf(change, "what") }) : many(total));
    reportEffectOf(ended.number);
  } catch (error) {
    report(error);
  }
  return undefined;
}
