/**
 * Many YAML documents in one text: where each is, which object it is, and what differs from the objects there are.
 * Pure.
 */

const SEPARATOR = /^---(?:[ \t].*)?$/;

/**
 * [{line, from, to, text}]: the documents that hold something; `line` counts from 1, `from` and `to` are places in the
 * text.
 */
export function documents(text) {
  const found = [];
  let place = 0;
  let start = { line: 1, from: 0 };
  const end = (to) => {
    const own = text.slice(start.from, to);
    if (own.trim()) found.push({ ...start, to, text: own });
  };
  text.split("\n").forEach((line, i) => {
    if (SEPARATOR.test(line)) {
      end(place);
      start = { line: i + 2, from: place + line.length + 1 };
    }
    place += line.length + 1;
  });
  end(text.length);
  return found;
}

/** By which kind the server keeps an object: "Gateway.networking.istio.io", as groups have kinds of one name. */
function keptKind({ kind, apiVersion }, own) {
  const group = String(apiVersion ?? "").replace(/\/?[^/]*$/, "");
  return !group.includes(".") || own.includes(group) ? kind : `${kind}.${group}`;
}

/**
 * "Pod default/web": which object this is; null for none. `kinds` as GET kinds/ gives them: other kinds say their
 * namespace themselves; `own` as GET source/ gives it.
 */
export function idOf(value, { kinds, own }) {
  const { metadata } = value ?? {};
  if (typeof value?.kind !== "string" || typeof metadata?.name !== "string") return null;
  const kind = keptKind(value, own);
  const namespace = metadata.namespace ?? (kinds[kind]?.namespaced ? "default" : "");
  return `${kind} ${namespace ? `${namespace}/` : ""}${metadata.name}`;
}

/** Equal but for the order of keys. */
function same(a, b) {
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
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && same(a[key], b[key]));
}

/**
 * What the documents (`{id, value, …}`) say otherwise than the objects (id → {manifest}): {changed, made: documents,
 * gone: ids}.
 */
export function differences(there, now) {
  const ids = new Set(now.map(({ id }) => id));
  return {
    changed: now.filter(({ id, value }) => there.has(id) && !same(there.get(id).manifest, value)),
    made: now.filter(({ id }) => !there.has(id)),
    gone: [...there.keys()].filter((id) => !ids.has(id)),
  };
}

/** The one change that makes `before` into `after`: {from, to, insert}; null for none. */
export function onlyChange(before, after) {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < most - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}
