/** Undo and redo of change sets: one change of the page, an import, or the changes of one kubectl command. */
import { clusterPath, post } from "../base/api.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { translatedText } from "../base/sentence.js";
import { store } from "../base/store.js";
import { reportEffectOf, runWhileBusy } from "./run.js";

const DIRECTIONS = {
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

let running = null; // {way, ended}: a promise of its end

/** Undo or redo (`way`) `count` change sets. */
export async function undoOrRedo(direction, count = 1) {
  // A change of direction waits for everything in progress.
  while (running && running.way !== direction) await running.ended;
  const ownRun = { way: direction, ended: runDirection(direction, count) };
  running ??= ownRun;
  await ownRun.ended;
  if (running === ownRun) running = null;
}

async function runDirection(direction, count) {
  const { next, label, one, many } = DIRECTIONS[direction];
  const { id, [next]: change } = store.cluster.peek();
  const isNext = () => {
    const now = store.cluster.peek();
    return now.id === id && now[next]?.number === change?.number;
  };
  let changes = 0;
  const ask = async () => {
    const accepted = await post(clusterPath(id, direction));
    changes += accepted.changes;
    return accepted;
  };
  try {
    let command = null;
    let done = 0;
    do {
      // The user has not seen the change that a second press would undo.
      command = await runWhileBusy(label(), ask, done === 0 ? isNext : undefined);
      if (command?.problems?.length) return reportError(command);
      if (command?.state !== "done") return undefined;
      done += 1;
    } while (done < count);
    notify(changes === 1 ? fill(one(), { what: translatedText(change, "what") }) : many(changes));
    reportEffectOf(command.number);
  } catch (error) {
    reportError(error);
  }
  return undefined;
}
