/** Carrying out one change for many pods: here, or in a branch. */
import { sentence } from "../explain/sentence.js";
import { _, fill, number } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { perform } from "../drive/run.js";
import { forkHere, mayChange } from "../branches/branches.js";
import { store } from "../base/store.js";

/** Pods that stand for their templates, where there are several of these. */
const templates = (repair) =>
  new Set(repair.edits.filter((edit) => edit.object.kind === "Pod").map((edit) => edit.object.name));

const editName = (repair, { object, sentence: data }) =>
  object.kind === "Pod" && templates(repair).size > 1 ? `${object.name}: ${sentence(data)}` : sentence(data);

/** What it comes to, in words: the edits, or the nodes. */
export const namesOf = (repair) =>
  repair.edits.length
    ? repair.edits.map((edit) => editName(repair, edit))
    : Object.entries(repair.nodes).map(([name, count]) =>
        fill(_("Add {n} × like {node}"), { n: number(count), node: name }),
      );

/** The commands, and then everybody's turn. */
async function carryOut(repair) {
  const name = namesOf(repair)[0];
  for (const command of repair.commands) {
    const ended = await perform(command, name);
    if (ended?.state !== "done" || ended.problems?.length) return;
  }
  store.following.value = true;
  await perform({ kind: "run", until: "idle" }, name);
}

export async function applyToAll(repair) {
  if (!(await mayChange())) return;
  closeDialog();
  await carryOut(repair);
}

export async function tryOut(repair) {
  closeDialog();
  if (await forkHere(namesOf(repair)[0].slice(0, 100))) await carryOut(repair);
}
