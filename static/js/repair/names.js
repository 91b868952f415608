/** A repair in words. */
import { sentence } from "../base/sentence.js";
import { _, fill, number } from "../base/i18n.js";

/** Return the pods that represent their templates, if there are several. */
const templates = (repair) =>
  new Set(repair.edits.filter((edit) => edit.object.kind === "Pod").map((edit) => edit.object.name));

const editName = (repair, { object, sentence: data }) =>
  object.kind === "Pod" && templates(repair).size > 1 ? `${object.name}: ${sentence(data)}` : sentence(data);

/** Return the repair in words: the edits, or the nodes. */
export const namesOf = (repair) =>
  repair.edits.length
    ? repair.edits.map((edit) => editName(repair, edit))
    : Object.entries(repair.nodes).map(([name, count]) =>
        fill(_("Add {n} × like {node}"), { n: number(count), node: name }),
      );

/** Return its kubectl lines in order; edits of one object may share a line. */
export const kubectlOf = (repair) =>
  repair.edits
    .map((edit) => edit.kubectl)
    .filter(Boolean)
    .join("\n");
