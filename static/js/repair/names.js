/** What a repair comes to, in words. */
import { sentence } from "../base/sentence.js";
import { _, fill, number } from "../base/i18n.js";

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

/** Its kubectl lines, in the order in which they work; edits of one object may share a line. */
export const kubectlOf = (repair) =>
  repair.edits
    .map((edit) => edit.kubectl)
    .filter(Boolean)
    .join("\n");
