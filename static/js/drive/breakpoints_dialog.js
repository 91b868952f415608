/** The dialog of breakpoints: list, add, remove. The server defines their fields. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { podInView } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";
import { workloads } from "../clusters/workloads.js";
import { addBreakpoint, breakpointText, breakpoints, removeBreakpoint } from "./breakpoints.js";
import { currentFrame } from "../cycle/panel_frames.js";

/** Return the plugins that can reject, from the profile of the last cycle. */
const listPlugins = () => [...new Set((currentFrame()?.filters ?? []).concat(currentFrame()?.skippedFilters ?? []))];

// These points run before an attempt begins, so it has none of their errors.
const BEFORE_ATTEMPTS = ["PreEnqueue", "QueueSort"];

/** The page's knowledge of a field by its name: default and suggestions. */
const ABOUT = {
  pod: () => ({ initial: podInView.value }),
  plugin: () => ({ initial: listPlugins()[0] ?? "NodeResourcesFit", suggestions: listPlugins() }),
  point: () => ({ initial: "Bind" }),
  object: () => ({
    suggestions: (workloads.current()?.workloads ?? []).map((workload) => `${workload.namespace}/${workload.name}`),
  }),
};

/** Return the kinds of the schema: [{name, label, fields: [{name, label, choices, most, hint, required}]}]. */
function kindsOf({ items }) {
  const fieldsOf = ({ properties, required }) =>
    Object.entries(properties)
      .filter(([name]) => name !== "kind")
      .map(([name, { title, enum: choices, maxLength: most, example }]) => ({
        name,
        label: _(title),
        choices: choices?.filter((choice) => !BEFORE_ATTEMPTS.includes(choice)),
        most,
        hint: example,
        required: required.includes(name),
      }));
  return items.oneOf.map((kind) => ({ name: kind.title, label: _(kind.description), fields: fieldsOf(kind) }));
}

function Field({ field, value, onText }) {
  const { name, choices, most, hint, required } = field;
  const label = required ? field.label : fill(_("{field}, or any"), { field: field.label });
  const { suggestions } = ABOUT[name]?.() ?? {};
  const list = `break-${name}`;
  return html`<label class="form-cell">
    <span class="quiet">${label}</span>
    ${
      choices
        ? html`<select class="small" value=${value} onChange=${(event) => onText(event.currentTarget.value)}>
          ${!required && html`<option value="">${_("any")}</option>`}
          ${choices.map((choice) => html`<option key=${choice}>${choice}</option>`)}
        </select>`
        : html`<input type="text" class="small mono" value=${value} placeholder=${required ? hint : (hint ?? _("any"))}
            list=${suggestions ? list : undefined} maxlength=${most}
            onInput=${(event) => onText(event.currentTarget.value.trim())}
          />
          ${
            suggestions &&
            html`<datalist id=${list}>
              ${suggestions.map((suggestion) => html`<option key=${suggestion} value=${suggestion} />`)}
            </datalist>`
          }`
    }
  </label>`;
}

/** Return a pod's name with its namespace, `default` if none is written. */
const withNamespace = (name, text) => (name === "pod" && !text.includes("/") ? `default/${text}` : text);

/** Return the new breakpoint; null while a field is missing. */
function newBreakpoint({ name, fields }, values) {
  if (fields.some((field) => field.required && !values[field.name])) return null;
  const filled = fields.map((field) => field.name).filter((field) => values[field]);
  return { kind: name, ...Object.fromEntries(filled.map((field) => [field, withNamespace(field, values[field])])) };
}

/** `room`: true if one more breakpoint is allowed. */
function Add({ kinds, room }) {
  const [name, setName] = useState(kinds[0].name);
  const [typed, setTyped] = useState({});
  const kind = kinds.find((other) => other.name === name);
  const initial = kind.fields.map((field) => [field.name, ABOUT[field.name]?.().initial ?? ""]);
  const values = { ...Object.fromEntries(initial), ...typed };
  const breakpoint = newBreakpoint(kind, values);
  const addTyped = (event) => {
    event.preventDefault();
    if (breakpoint) addBreakpoint(breakpoint);
  };
  return html`<form class="form-row" onSubmit=${addTyped}>
    <label class="form-cell">
      <span class="quiet">${_("stop at")}</span>
      <select class="small" value=${name} onChange=${(event) => setName(event.currentTarget.value)}>
        ${kinds.map((other) => html`<option key=${other.name} value=${other.name}>${other.label}</option>`)}
      </select>
    </label>
    ${kind.fields.map(
      (field) => html`<${Field} key=${field.name} field=${field} value=${values[field.name]}
        onText=${(text) => setTyped({ ...typed, [field.name]: text })}
      />`,
    )}
    <button type="submit" class="btn" disabled=${!breakpoint || !room}>${_("Add")}</button>
  </form>`;
}

function Rows({ all }) {
  if (!all.length)
    return html`<p class="quiet">${_("No breakpoints yet. A run stops after the first event that matches one.")}</p>`;
  return html`<ul class="breakpoints">
    ${all.map(
      (row) => html`<li key=${JSON.stringify(row)} class="row">
        ${icon("break", "is-rejected")} <span class="grow">${breakpointText(row)}</span>
        <button type="button" class="btn bare icon"
          aria-label=${fill(_("remove: {what}"), { what: breakpointText(row) })} title=${_("Remove")}
          onClick=${() => removeBreakpoint(row)}
        >${icon("close")}</button>
      </li>`,
    )}
  </ul>`;
}

export function BreakpointsDialog() {
  const [schema, setSchema] = useState(null);
  useEffect(() => void get("breakpoints/").then(setSchema, reportError), []);
  const all = breakpoints.value;
  const foot = html`
    <span class="quiet grow">
      ${_("Play stops at these breakpoints at any speed, because the server checks them.")}
    </span>
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  // Wait for all parts: a late part would move the buttons under the pointer.
  return html`<${Dialog} title=${_("Breakpoints")} foot=${foot}>
    ${schema && html`<${Rows} all=${all} /><${Add} kinds=${kindsOf(schema)} room=${all.length < schema.maxItems} />`}
  <//>`;
}
