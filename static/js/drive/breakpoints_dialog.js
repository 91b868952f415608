/** The dialog of breakpoints: list, add, remove. The server defines their fields. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { podInView } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";
import { workloads } from "../clusters/workloads.js";
import { addBreakpoint, breakpointText, breakpoints, removeBreakpoint } from "./breakpoints.js";
import { currentFrame } from "../cycle/frames.js";

/** Return the plugins that can reject, from the profile of the last cycle. */
const plugins = () => [...new Set((currentFrame()?.filters ?? []).concat(currentFrame()?.skippedFilters ?? []))];

// These points run before an attempt begins, so it has none of their errors.
const BEFORE_ATTEMPTS = ["PreEnqueue", "QueueSort"];

/** The page's knowledge of a field by its name: default and suggestions. */
const ABOUT = {
  pod: () => ({ begin: podInView.value }),
  plugin: () => ({ begin: plugins()[0] ?? "NodeResourcesFit", meant: plugins() }),
  point: () => ({ begin: "Bind" }),
  object: () => ({
    meant: (workloads.current()?.workloads ?? []).map((one) => `${one.namespace}/${one.name}`),
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
  const { meant } = ABOUT[name]?.() ?? {};
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
            list=${meant ? list : undefined} maxlength=${most}
            onInput=${(event) => onText(event.currentTarget.value.trim())}
          />
          ${
            meant &&
            html`<datalist id=${list}>
              ${meant.map((one) => html`<option key=${one} value=${one} />`)}
            </datalist>`
          }`
    }
  </label>`;
}

/** Return a pod's name with its namespace, `default` if none is written. */
const whole = (name, text) => (name === "pod" && !text.includes("/") ? `default/${text}` : text);

/** Return the new breakpoint; null while a field is missing. */
function wanted({ name, fields }, values) {
  if (fields.some((field) => field.required && !values[field.name])) return null;
  const given = fields.map((field) => field.name).filter((field) => values[field]);
  return { kind: name, ...Object.fromEntries(given.map((field) => [field, whole(field, values[field])])) };
}

/** `room`: true if one more breakpoint is allowed. */
function Add({ kinds, room }) {
  const [name, setName] = useState(kinds[0].name);
  const [typed, setTyped] = useState({});
  const kind = kinds.find((one) => one.name === name);
  const begin = kind.fields.map((field) => [field.name, ABOUT[field.name]?.().begin ?? ""]);
  const values = { ...Object.fromEntries(begin), ...typed };
  const one = wanted(kind, values);
  const add = (event) => {
    event.preventDefault();
    if (one) addBreakpoint(one);
  };
  return html`<form class="form-row" onSubmit=${add}>
    <label class="form-cell">
      <span class="quiet">${_("stop at")}</span>
      <select class="small" value=${name} onChange=${(event) => setName(event.currentTarget.value)}>
        ${kinds.map((each) => html`<option key=${each.name} value=${each.name}>${each.label}</option>`)}
      </select>
    </label>
    ${kind.fields.map(
      (field) => html`<${Field} key=${field.name} field=${field} value=${values[field.name]}
        onText=${(text) => setTyped({ ...typed, [field.name]: text })}
      />`,
    )}
    <button type="submit" class="btn" disabled=${!one || !room}>${_("Add")}</button>
  </form>`;
}

function Rows({ all }) {
  if (!all.length) return html`<p class="quiet">${_("None yet. A run stops after what meets one.")}</p>`;
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
  useEffect(() => void get("breakpoints/").then(setSchema, report), []);
  const all = breakpoints.value;
  const foot = html`
    <span class="quiet grow">${_("Play stops at these; they count on the server, however fast it goes.")}</span>
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  // Wait for all parts: a late part would move the buttons under the pointer.
  return html`<${Dialog} title=${_("Breakpoints")} foot=${foot}>
    ${schema && html`<${Rows} all=${all} /><${Add} kinds=${kindsOf(schema)} room=${all.length < schema.maxItems} />`}
  <//>`;
}
