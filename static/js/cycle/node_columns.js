/** The columns of the nodes at a moment. Only rows that differ from known ones are fetched. */
import { get, clusterPath } from "../base/api.js";
import { store } from "../base/store.js";

/** Return `columns` with the rows of `change`; other columns stay the same objects, so views recompute nothing else. */
function patchColumns(columns, change) {
  const { revision, cycle, names, pods, requested } = change;
  const place = new Map(columns.names.map((name, i) => [name, i]));
  const rows = names.map((name) => place.get(name));
  const withValues = (column, values) => {
    const next = column.slice();
    rows.forEach((row, k) => {
      next[row] = values?.[k] ?? 0;
    });
    return next;
  };
  const all = Object.fromEntries(
    Object.entries(columns.requested).map(([name, column]) => [
      name,
      names.length ? withValues(column, requested[name]) : column,
    ]),
  );
  return {
    ...columns,
    revision,
    cycle,
    requested: all,
    pods: names.length ? withValues(columns.pods, pods) : columns.pods,
  };
}

/** Return false if the nodes or their resources have changed, so that all columns are needed. */
const isPatchable = (columns, change) =>
  !change.whole && Object.keys(change.requested).every((name) => name in columns.requested);

/** Return the columns of the nodes now (`cycle` null), or before a cycle. */
export async function fetchNodes(id, cycle) {
  const known = store.nodes.peek();
  const moment = cycle === null ? "" : `cycle=${cycle}`;
  if (known) {
    const change = await get(`${clusterPath(id, "node-changes")}?since=${known.revision}&${moment}`);
    if (isPatchable(known, change))
      return cycle === null && !change.names.length
        ? Object.assign(known, { revision: change.revision })
        : patchColumns(known, change);
  }
  return get(`${clusterPath(id, "nodes")}?${moment}`);
}
