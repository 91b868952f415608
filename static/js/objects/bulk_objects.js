/**
 * Many objects from one text: `{n}` counts, `{node}` is each node's name, a label takes its values in turn. Documents
 * without a placeholder in their name are created once.
 */

export const MOST = 5000; // objects per request

// Replacements for the placeholders while YAML is parsed: `{n}` itself would be a mapping.
const COUNT = "X7countX7";
const NODE = "X7nodeX7";
const maskPlaceholders = (text) => text.replaceAll("{n}", COUNT).replaceAll("{node}", NODE);

/** Return the text for the first object, with the same lines, which is checked while typing. */
export const firstText = (text, { from, nodes }) =>
  text.replaceAll("{n}", String(from)).replaceAll("{node}", nodes[0] ?? "node");

/** Return the documents of a text. A line that begins with --- cannot be part of a value. */
export const documentsOf = (text) => text.split(/^---(?:[ \t].*)?$/m);

/** Return the values of a text, or null if it is no YAML. `library`: the YAML reader. */
export function readAll(library, text) {
  try {
    const documents = documentsOf(maskPlaceholders(text)).map((part) => library.parseDocument(part));
    if (documents.some((document) => document.errors.length)) return null;
    return documents
      .map((document) => document.toJS({ maxAliasCount: 20 }))
      .filter((value) => value !== null && typeof value === "object");
  } catch {
    return null; // more aliases than an object can need
  }
}

function fillPlaceholders(value, count, node) {
  if (typeof value === "string") return value.replaceAll(COUNT, count).replaceAll(NODE, node);
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, count, node));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      fillPlaceholders(key, count, node),
      fillPlaceholders(item, count, node),
    ]),
  );
}

const nameOf = (value) => String(value.metadata?.name ?? "");

function addLabel(value, spread, index) {
  if (!spread?.key || !spread.values.length) return value;
  const labels = { ...value.metadata?.labels, [spread.key]: spread.values[index % spread.values.length] };
  return { ...value, metadata: { ...value.metadata, labels } };
}

/** Return which placeholders the names contain: {n, node}. */
export const findPlaceholders = (text) => ({
  n: /^\s*name:.*\{n\}/m.test(text),
  node: /^\s*name:.*\{node\}/m.test(text),
});

/**
 * Return every object of the values. `settings`: {count, from, nodes: [name], spread: {key, values: [text]} | null}.
 * Documents keep their order, so that the objects that pods refer to come first.
 */
export function expandObjects(values, settings) {
  const objects = [];
  for (const value of values) {
    const name = nameOf(value);
    const times = name.includes(NODE) ? settings.nodes.length : name.includes(COUNT) ? settings.count : 1;
    for (let i = 0; i < times && objects.length <= MOST; i += 1) {
      const object = fillPlaceholders(value, String(settings.from + i), settings.nodes[i] ?? "");
      objects.push(name.includes(COUNT) || name.includes(NODE) ? addLabel(object, settings.spread, i) : object);
    }
  }
  return objects;
}

/** Return the objects in the format of the import. */
export const toListText = (objects) => JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
