/** The rows of the matrix: survivors one by one, rejected nodes grouped by answer, then nodes not evaluated. Pure. */
import { groupRejections, listSurvivors } from "../cycle/frame.js";
import { plainReason } from "../cycle/plain_reasons.js";

/**
 * @typedef {{ type: "node" | "group" | "member", key: string, name?: string, label?: string, names?: string[],
 *   status?: any, open?: boolean, unseen?: boolean }} Row
 */

/**
 * Return rows. `open`: Set of the keys of open groups; `text`: filter by node name, plugin or reason; `allNames`: every
 * node of the cluster.
 * @returns {Row[]}
 */
export function matrixRows(frame, { open, text, allNames, order }) {
  const filterText = text.toLowerCase();
  const matches = (name, status) =>
    !filterText ||
    name.toLowerCase().includes(filterText) ||
    (status &&
      `${status.plugin} ${status.reasons.join(" ")} ${status.reasons.map((reason) => plainReason(reason)).join(" ")}`
        .toLowerCase()
        .includes(filterText));
  /** @type {Row[]} */
  const rows = [];
  const alive = listSurvivors(frame).filter((name) => matches(name));
  if (order) alive.sort(order);
  for (const name of alive) rows.push({ type: "node", key: name, name });
  for (const group of groupRejections(frame)) {
    const names = group.names.filter((name) => matches(name, group));
    if (names.length === 1) rows.push({ type: "node", key: names[0], name: names[0], status: group });
    else if (names.length)
      addGroup(
        rows,
        {
          ...group,
          names,
          label: group.reasons.map((reason) => plainReason(reason)).join(", ") || group.code,
          final: group.code === "UnschedulableAndUnresolvable",
        },
        open,
      );
  }
  if (!frame.searching || !allNames) return rows;
  const unseen = allNames.filter((name) => !frame.row.has(name) && matches(name));
  if (unseen.length) addGroup(rows, { key: "unseen", names: unseen, label: null, unseen: true }, open);
  return rows;
}

function addGroup(rows, group, open) {
  const isOpen = open.has(group.key);
  rows.push({ type: "group", ...group, status: group.unseen ? null : group, open: isOpen });
  if (!isOpen) return;
  for (const name of group.names) {
    rows.push({
      type: "member",
      level: 2,
      key: `${group.key} ${name}`,
      name,
      status: group.unseen ? null : group,
      unseen: group.unseen,
    });
  }
}
