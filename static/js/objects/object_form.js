/** An object as a form, which writes the YAML field by field and shows each problem at its field. */
import { html, useState } from "../../vendor/preact.js";
import { problemText } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { isEmpty, labelsFrom, labelsText, openDocument, valueAt, wordsFrom, write } from "./yaml_document.js";
import { formOf, valuesOf } from "./form_sections.js";
import { icon } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";

const Curve = lazy(() => import("./curve.js").then((all) => all.Curve));

/** Format a path like problems do: ["spec", "containers", 0] → "spec.containers[0]". */
const pathText = (path) =>
  path
    .map((key) => (typeof key === "number" ? `[${key}]` : /^[\w-]+$/.test(key) ? `.${key}` : `[${key}]`))
    .join("")
    .slice(1);

const problemsAt = (problems, path) =>
  problems.filter(
    (problem) =>
      problem.path === pathText(path) ||
      problem.path.startsWith(`${pathText(path)}[`) ||
      problem.path.startsWith(`${pathText(path)}.`),
  );

const wholeNumber = (text) => (/^-?\d+$/.test(text.trim()) ? Number(text) : text);
const anyNumber = (text) => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text);

/** The widget of one value: formats it, and parses the typed text. */
const WIDGETS = {
  text: { shown: (value) => String(value ?? ""), read: (text) => text },
  expression: { shown: (value) => String(value ?? ""), read: (text) => text },
  number: { shown: (value) => String(value ?? ""), read: wholeNumber },
  amount: { shown: (value) => String(value ?? ""), read: anyNumber, late: true },
  words: { shown: (value) => (value ?? []).join(", "), read: wordsFrom, late: true },
  labels: { shown: labelsText, read: labelsFrom, late: true },
};

function Input({ field, value, values, label, invalid, onValue }) {
  if (field.as === "check")
    return html`<input type="checkbox" aria-label=${label} checked=${value === true}
      onChange=${(event) => onValue(event.currentTarget.checked || undefined)}
    />`;
  if (field.as === "curve")
    return html`<${Curve} value=${value} label=${label} unit=${field.hint} invalid=${invalid} onValue=${onValue} />`;
  if (field.as === "choice") {
    return html`<select class="small" aria-label=${label} aria-invalid=${invalid} value=${value ?? ""}
      onChange=${(event) => onValue(event.currentTarget.value)}
    >
      <option value="">${_("not set")}</option>
      ${values.map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}
    </select>`;
  }
  const { shown, read, late } = WIDGETS[field.as];
  const readInput = (event) => onValue(read(event.currentTarget.value));
  // A list is parsed when the field loses the focus: "app=w" may be incomplete while typing.
  return html`<input type="text" class="small mono" aria-label=${label} aria-invalid=${invalid}
    placeholder=${field.hint} spellcheck=${false} autocomplete="off"
    inputmode=${field.as === "number" ? "numeric" : undefined} value=${shown(value)}
    onInput=${late ? undefined : readInput} onChange=${late ? readInput : undefined}
  />`;
}

function Remove({ label, onClick }) {
  return html`<button type="button" class="btn bare icon small" aria-label=${label} title=${label} onClick=${onClick}>
    ${icon("close")}
  </button>`;
}

/** Keys and values; a new row counts when it has a key. */
function MapField({ field, value, onValue }) {
  const [fresh, setFresh] = useState(0);
  const hidden = Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => field.without?.includes(key)));
  const rows = Object.entries(value ?? {}).filter(([key]) => !field.without?.includes(key));
  const writeRows = (next) => onValue({ ...hidden, ...Object.fromEntries(next.filter(([key]) => key)) });
  const edit = (index, side) => (event) =>
    writeRows(
      rows.map((row, i) =>
        i === index ? (side === 0 ? [event.currentTarget.value, row[1]] : [row[0], event.currentTarget.value]) : row,
      ),
    );
  return html`<div class="form-rows">
    ${rows.map(
      ([key, entryValue], index) => html`<div class="form-row map" key=${index}>
        <input type="text" class="small mono" aria-label=${fill(_("{field}: key"), { field: field.label })}
          value=${key} onChange=${edit(index, 0)}
        />
        <input type="text" class="small mono"
          aria-label=${fill(_("{field}: value of {key}"), { field: field.label, key })} value=${String(entryValue)}
          onInput=${edit(index, 1)}
        />
        <${Remove} label=${fill(_("remove {key}"), { key })}
          onClick=${() => writeRows(rows.filter((_row, i) => i !== index))}
        />
      </div>`,
    )}
    <div class="form-row map" key=${`new ${fresh}`}>
      <input type="text" class="small mono" aria-label=${fill(_("{field}: new key"), { field: field.label })}
        placeholder=${field.hint ?? _("key")}
        onChange=${(event) =>
          event.currentTarget.value && ((writeRows([...rows, [event.currentTarget.value, ""]]), setFresh(fresh + 1)))}
      />
      <span class="quiet small-note">${_("then its value")}</span>
    </div>
  </div>`;
}

/** A list of objects, one per line. */
function RowsField({ field, value, schema, kind, problems, onValue }) {
  const rows = Array.isArray(value) ? value : [];
  const readAt = (row, path) => path.reduce((part, key) => part?.[key], row);
  const writeAt = (row, path, leaf) => {
    const [key, ...rest] = path;
    const value = rest.length ? writeAt(row?.[key], rest, leaf) : leaf;
    if (typeof key === "number")
      return isEmpty(value)
        ? (row ?? []).filter((_one, i) => i !== key)
        : Object.assign([...(row ?? [])], { [key]: value });
    const { [key]: _before, ...others } = row ?? {};
    return isEmpty(value) ? others : { ...row, [key]: value };
  };
  const base = field.path;
  return html`<div class="form-rows">
    ${rows.map(
      (row, index) => html`<div class="form-row" key=${index}>
        ${field.columns.map(
          (column) => html`<label class=${`form-cell ${column.as === "expression" ? "whole" : ""}`}
            key=${column.label}
          >
            <span class="quiet">${column.label}</span>
            <${Input} field=${column} value=${readAt(row, column.path)}
              values=${valuesOf(schema, kind, [...base, ...column.path])}
              label=${`${field.label} ${index + 1}: ${column.label}`}
              invalid=${problemsAt(problems, [...base, index, ...column.path]).length ? "true" : undefined}
              onValue=${(leaf) => onValue(rows.map((old, i) => (i === index ? writeAt(old, column.path, leaf) : old)))}
            />
          </label>`,
        )}
        <${Remove} label=${fill(_("remove {field} {n}"), { field: field.label, n: index + 1 })}
          onClick=${() => onValue(rows.filter((_row, i) => i !== index))}
        />
      </div>`,
    )}
    <button type="button" class="btn small" onClick=${() => onValue([...rows, {}])}
      aria-label=${fill(_("add to {field}"), { field: field.label })}
    >${icon("plus")} ${_("add")}</button>
  </div>`;
}

/**
 * Return true if an API server refuses to change this field of an existing object. The schema lists the mutable paths.
 */
const isImmutable = ({ updatable }, field) =>
  Boolean(updatable) && !updatable.includes(pathText(field.path).replace(/\[\d+\]/g, "[*]"));

function Field({ field, document, schema, kind, problems, isThere, onValue }) {
  const value = valueAt(document, field.path);
  const ownProblems = problemsAt(problems, field.path);
  const parts = { field, value, schema, kind, problems, onValue };
  const single = field.as !== "map" && field.as !== "rows";
  return html`<div class="form-field" data-field=${pathText(field.path)} role=${single ? undefined : "group"}
    aria-label=${single ? undefined : field.label}
  >
    <span class="form-label">
      ${field.label}
      ${
        isThere &&
        isImmutable(schema[kind], field) &&
        html` <span class="quiet small-note immutable"
          title=${_("Kubernetes refuses changes of this field. Delete the Pod and create it again.")}
        >${_("immutable")}</span>`
      }
    </span>
    <div>
      ${field.as === "map" && html`<${MapField} ...${parts} />`}
      ${field.as === "rows" && html`<${RowsField} ...${parts} />`}
      ${
        single &&
        html`<${Input} field=${field} value=${value} values=${valuesOf(schema, kind, field.path)}
          label=${field.label} invalid=${ownProblems.length ? "true" : undefined} onValue=${onValue}
        />`
      }
      ${ownProblems.map(
        (problem, index) => html`<p class="is-rejected form-problem" key=${index}>
          ${problemText({ ...problem, path: "" })}
        </p>`,
      )}
    </div>
  </div>`;
}

/** `onText(text)`: the YAML after a field was written. */
export function ObjectForm({ text, schema, library, problems, isThere, onText }) {
  const document = openDocument(library, text);
  const kind = document?.get("kind");
  const sections = kind && formOf(schema, kind);
  if (!sections)
    return html`<p class="quiet empty">
      ${
        document
          ? _("This kind has no form. Edit it as YAML.")
          : _("The form shows a single object without errors in its YAML.")
      }
    </p>`;
  return html`<div class="object-form scroll" tabindex="-1">
    ${sections.map(
      (section) => html`<fieldset key=${section.title}>
        <legend class="caps">${section.title}</legend>
        ${section.fields.map(
          (field) => html`<${Field} key=${pathText(field.path) + field.as} field=${field} document=${document}
            schema=${schema} kind=${kind} problems=${problems} isThere=${isThere}
            onValue=${(value) => onText(write(openDocument(library, text), field.path, value))}
          />`,
        )}
      </fieldset>`,
    )}
  </div>`;
}
