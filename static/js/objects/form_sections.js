/** The forms of objects: the server defines the fields (GET kinds/), the page their labels. */
import { _ } from "../base/i18n.js";

const unitOf = (text) => _(text);

const translateField = (field) => ({
  ...field,
  label: _(field.label),
  ...(field.as === "curve" ? { hint: unitOf(field.hint) } : {}),
  ...(field.columns ? { columns: field.columns.map(translateField) } : {}),
});

/** Return the sections of a kind's form, or null for none. */
export function formOf(schema, kind) {
  const sections = schema[kind]?.form ?? [];
  return sections.length
    ? sections.map(({ title, fields }) => ({ title: _(title), fields: fields.map(translateField) }))
    : null;
}

/** Return the values of a choice from the schema; list indexes are ignored. */
export function valuesOf(schema, kind, path) {
  let field = { fields: schema[kind]?.fields };
  for (const key of path) if (typeof key === "string") field = field?.fields?.[key];
  return field?.values ?? [];
}
