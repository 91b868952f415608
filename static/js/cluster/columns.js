/**
 * The columns of the nodes at a moment, made from those that are known and what is different: far less than all of them
 * again.
 */
import { get, of } from "../base/api.js";
import { store } from "../base/store.js";

/**
 * Columns with the rows of `change` in place; everything else stays the same object, so that nothing else is worked out
 * again.
 */
function patched(columns, change) {
  const { revision, cycle, names, pods, requested } = change;
  const place = new Map(columns.names.map((name, i) => [name, i]));
  const rows = names.map((name) => place.get(name));
  const put = (column, values) => {
    const next = column.slice();
    rows.forEach((row, k) => {
      next[row] = values?.[k] ?? 0;
    });
    return next;
  };
  const all = Object.fromEntries(
    Object.entries(columns.requested).map(([name, column]) => [
      name,
      names.length ? put(column, requested[name]) : column,
    ]),
  );
  return { ...columns, revision, cycle, requested: all, pods: names.length ? put(columns.pods, pods) : columns.pods };
}

/** May these rows be put into those columns? Not when the nodes or their resources are others. */
const fits = (columns, change) =>
  !change.whole && Object.keys(change.requested).every((name) => name in columns.requested);

/** The nodes of a cluster now, or as `cycle` found them. */
export async function nodesAt(id, cycle) {
  const known = store.nodes.peek();
  const moment = cycle === null ? "" : `cycle=${cycle}`;
  if (known) {
    const change = await get(`${of(id, "node-changes")}?since=${known.revision}&${moment}`);
    if (fits(known, change))
      return cycle === null && !change.names.length
        ? Object.assign(known, { revision: change.revision })
        : patched(known, change);
  }
  return get(`${of(id, "nodes")}?${moment}`);
}
