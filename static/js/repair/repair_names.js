/** A repair in words. */
import { translateSentence } from "../base/sentence.js";
import { _, fill, formatNumber } from "../base/i18n.js";

/** Return the names of the pods that a repair edits. Each represents the pods of its template. */
const editedPods = (repair) =>
  new Set(repair.edits.filter((edit) => edit.object.kind === "Pod").map((edit) => edit.object.name));

const editText = (repair, { object, sentence: data }) =>
  object.kind === "Pod" && editedPods(repair).size > 1
    ? `${object.name}: ${translateSentence(data)}`
    : translateSentence(data);

/** Return the repair in words: the edits, or the nodes. */
export const repairNames = (repair) =>
  repair.edits.length
    ? repair.edits.map((edit) => editText(repair, edit))
    : Object.entries(repair.nodes).map(([name, count]) =>
        fill(_("Add {n} × like {node}"), { n: formatNumber(count), node: name }),
      );

/** Return its kubectl lines in order; edits of one object may share a line. */
export const kubectlOf = (repair) =>
  repair.edits
    .map((edit) => edit.kubectl)
    .filter(Boolean)
    .join("\n");
