/** The forms of objects: the server says what is in them (GET kinds/), the words of the page say how it is called. */
import { _ } from "../base/i18n.js";

const unitOf = (text) => _(text);

const inWords = (field) => ({
  ...field,
  label: _(field.label),
  ...(field.as === "curve" ? { hint: unitOf(field.hint) } : {}),
  ...(field.columns ? { columns: field.columns.map(inWords) } : {}),
});

/** The sections of a kind's form, or null where there is none. */
export function formOf(schema, kind) {
  const sections = schema[kind]?.form ?? [];
  return sections.length
    ? sections.map(({ title, fields }) => ({ title: _(title), fields: fields.map(inWords) }))
    : null;
}

/** The values that a choice may take, from the schema; list indexes are looked through. */
export function valuesOf(schema, kind, path) {
  let field = { fields: schema[kind]?.fields };
  for (const key of path) if (typeof key === "string") field = field?.fields?.[key];
  return field?.values ?? [];
}
