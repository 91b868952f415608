/** A YAML document that a form edits: values by path; comments and order stay. */

/** Return the document of a text if it is a single one without errors, else null. */
export function openDocument(library, text) {
  const document = library.parseDocument(text);
  return document.errors.length || !library.isMap(document.contents) ? null : document;
}

/** Return the value at a path, as plain JavaScript; undefined for none. */
export function valueAt(document, path) {
  const value = document.getIn(path, false);
  return value !== null && typeof value === "object" && typeof value.toJSON === "function"
    ? value.toJSON()
    : (value ?? undefined);
}

export const isEmpty = (value) =>
  value === undefined || value === "" || (value !== null && typeof value === "object" && !Object.keys(value).length);

/**
 * Write a value at a path and create its parents; an empty value is removed with parents that become empty. Returns the
 * text.
 */
export function write(document, path, value) {
  if (!isEmpty(value)) {
    createParents(document, path);
    document.setIn(path, document.createNode(value));
    return document.toString();
  }
  for (let length = path.length; length > 1; length -= 1) {
    const part = path.slice(0, length);
    if (length < path.length && !isEmpty(valueAt(document, part))) break;
    if (document.hasIn(part)) document.deleteIn(part);
  }
  return document.toString();
}

/** Create lists where the path has an index, mappings elsewhere. */
function createParents(document, path) {
  for (let length = 1; length < path.length; length += 1) {
    const part = path.slice(0, length);
    const current = document.getIn(part);
    if (current === undefined || current === null)
      document.setIn(part, document.createNode(typeof path[length] === "number" ? [] : {}));
  }
}

/** Convert between "app=web, tier=front" and {app: "web", tier: "front"}. */
export const labelsFrom = (text) =>
  Object.fromEntries(
    wordsFrom(text).map((pair) => [pair.split("=")[0].trim(), pair.split("=").slice(1).join("=").trim()]),
  );
export const labelsText = (labels) =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");

/** Convert between "a, b" and ["a", "b"]. */
export const wordsFrom = (text) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
