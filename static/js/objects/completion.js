/** Completion in YAML. It finds the cursor's place by indentation alone, so it works with invalid text. */

const LINE = /^(\s*)((?:- +)*)(?:([\w./-]+|"[^"]*"):(?:\s+(.*))?)?/;

/** Parse one line into {indent, key, value}: a dash counts as indentation, because the rest belongs to the item. */
function partsOf(line) {
  const [, space, dashes, key, value] = line.match(LINE);
  return {
    indent: space.length + dashes.length,
    dash: dashes ? space.length : -1,
    key: key?.replaceAll('"', ""),
    value,
  };
}

/**
 * Return the place of a position: {path: [key…], key, word}. `lines`: those before the cursor's; `before`: its own text
 * up to the cursor. `key` is the field of the current value, null at a field name; `word` is the typed part.
 */
export function placeOf(lines, before) {
  const item = before.match(/^(\s*)((?:- +)*)(?:([\w./-]+):\s+)?(?:\[(?:[^\]]*,)?\s*)?([\w./-]*)$/);
  if (!item) return null;
  const [, space, dashes, key = null, word] = item;
  let indent = space.length + dashes.length;
  // A list item may have the same indentation as the list's key.
  let mayEqual = dashes ? space.length : -1;
  const path = [];
  for (let i = lines.length - 1; i >= 0 && (indent > 0 || mayEqual >= 0); i -= 1) {
    if (/^---/.test(lines[i])) break;
    if (!lines[i].trim() || lines[i].trimStart().startsWith("#")) continue;
    const line = partsOf(lines[i]);
    const above = line.indent < indent || (line.indent === mayEqual && line.dash < 0);
    if (line.key === undefined || !above) {
      if (line.indent === indent && line.dash >= 0 && mayEqual < 0) mayEqual = line.dash;
      continue;
    }
    if (line.value && !line.value.startsWith("#")) continue;
    path.unshift(line.key);
    indent = line.indent;
    mayEqual = line.dash;
  }
  return { path, key, word };
}

/** Return the kind of the document at the cursor. */
function kindAt(lines, after) {
  const start = lines.findLastIndex((line) => /^---/.test(line)) + 1;
  const end = after.findIndex((line) => /^---/.test(line));
  const document = [...lines.slice(start), ...after.slice(0, end < 0 ? undefined : end)];
  return document.map((line) => line.match(/^kind:\s*(\w+)/)?.[1]).find(Boolean) ?? null;
}

/** Return the fields at a path of a kind, or null without a schema. */
function fieldsAt(schema, kind, path) {
  let fields = schema[kind]?.fields;
  for (const key of path) fields = fields?.[key]?.fields;
  return fields ?? null;
}

/** Return the options at a place: [{label, detail, apply}]; `schema` is that of GET kinds/. */
function optionsAt(schema, kind, { path, key }) {
  if (!path.length && key === "kind")
    return Object.keys(schema).map((label) => ({ label, detail: schema[label].apiVersion }));
  if (!path.length && key === "apiVersion")
    return kind && schema[kind] ? [{ label: schema[kind].apiVersion, detail: kind }] : [];
  const fields = fieldsAt(schema, kind, path) ?? {};
  if (key !== null) {
    const field = fields[key];
    if (field?.type === "boolean") return [{ label: "true" }, { label: "false" }];
    return (field?.values ?? []).map((label) => ({ label, detail: key }));
  }
  // A list of plain values, such as accessModes.
  const list = path.length ? fieldsAt(schema, kind, path.slice(0, -1))?.[path.at(-1)] : null;
  if (list?.type === "list" && !list.fields) return (list.values ?? []).map((label) => ({ label }));
  const top = path.length
    ? []
    : [
        { label: "apiVersion", detail: "text", apply: "apiVersion: " },
        { label: "kind", detail: "text", apply: "kind: " },
      ];
  return [
    ...top,
    ...Object.entries(fields).map(([label, field]) => ({
      label,
      detail: field.type,
      apply: ["mapping", "list"].includes(field.type) ? `${label}:` : `${label}: `,
    })),
  ];
}

/** Return a source for CodeMirror's autocompletion. */
export function completionSource(schema) {
  return (context) => {
    const { doc } = context.state;
    const line = doc.lineAt(context.pos);
    const lines = doc.sliceString(0, line.from).split("\n").slice(0, -1);
    const place = placeOf(lines, line.text.slice(0, context.pos - line.from));
    if (!place || (!context.explicit && !place.word && place.key === null)) return null;
    const options = optionsAt(schema, kindAt(lines, doc.sliceString(line.from).split("\n")), place);
    return options.length
      ? {
          from: context.pos - place.word.length,
          options: options.map((option) => ({ type: "property", ...option })),
          validFor: /^[\w./-]*$/,
        }
      : null;
  };
}
