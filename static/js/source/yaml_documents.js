/** Many YAML documents in one text: their positions, their objects, and their differences from the cluster. Pure. */

const SEPARATOR = /^---(?:[ \t].*)?$/;

/**
 * Return the non-empty documents: [{line, from, to, text}]; `line` starts at 1, `from` and `to` are offsets in the
 * text.
 */
export function splitDocuments(text) {
  const documents = [];
  let place = 0;
  let start = { line: 1, from: 0 };
  const end = (to) => {
    const own = text.slice(start.from, to);
    if (own.trim()) documents.push({ ...start, to, text: own });
  };
  text.split("\n").forEach((line, i) => {
    if (SEPARATOR.test(line)) {
      end(place);
      start = { line: i + 2, from: place + line.length + 1 };
    }
    place += line.length + 1;
  });
  end(text.length);
  return documents;
}

/** Return the server's name of a kind: "Gateway.networking.istio.io", because groups share kinds. */
function storageKind({ kind, apiVersion }, own) {
  const group = String(apiVersion ?? "").replace(/\/?[^/]*$/, "");
  return !group.includes(".") || own.includes(group) ? kind : `${kind}.${group}`;
}

/**
 * Return the id of an object: "Pod default/web"; null for none. `kinds` of GET kinds/; other kinds have an explicit
 * namespace; `own` of GET source/.
 */
export function idOf(value, { kinds, own }) {
  const { metadata } = value ?? {};
  if (typeof value?.kind !== "string" || typeof metadata?.name !== "string") return null;
  const kind = storageKind(value, own);
  const namespace = metadata.namespace ?? (kinds[kind]?.namespaced ? "default" : "");
  return `${kind} ${namespace ? `${namespace}/` : ""}${metadata.name}`;
}

/** Return true if two values are equal except for the order of keys. */
function isSame(a, b) {
  if (a === b) return true;
  if (
    a === null ||
    b === null ||
    typeof a !== "object" ||
    typeof b !== "object" ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]));
}

/**
 * Return the differences of the documents (`{id, value, …}`) from the objects (id → {manifest}): {changed, made:
 * documents, gone: ids}.
 */
export function findDifferences(there, now) {
  const ids = new Set(now.map(({ id }) => id));
  return {
    changed: now.filter(({ id, value }) => there.has(id) && !isSame(there.get(id).manifest, value)),
    made: now.filter(({ id }) => !there.has(id)),
    gone: [...there.keys()].filter((id) => !ids.has(id)),
  };
}

/** Return the single change from `before` to `after`: {from, to, insert}; null for none. */
export function findChange(before, after) {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < most - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}
