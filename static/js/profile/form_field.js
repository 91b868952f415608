/** Fields generated from their description: any setting or argument, with help, default and problems. */
import { html, useId } from "../../vendor/preact.js";
import { _, fill } from "../base/i18n.js";
import { pathText, problemsAt } from "./written_values.js";
import { icon } from "../parts/icon.js";

/** Problems at a field: the error and the likely fix. */
export function Problems({ problems, id }) {
  if (!problems.length) return null;
  return html`<ul class="field-problems" id=${id}>
    ${problems.map(
      (problem, index) =>
        html`<li key=${index}>
          ${icon("rejected")} <span>
            ${problem.message ?? problem.rule}
            ${problem.hint ? html` <b>${problem.hint}</b>` : null}
          </span>
        </li>`,
    )}
  </ul>`;
}

const formatValue = (value) =>
  value === null || value === undefined || value === ""
    ? _("none")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** Parse a typed number; invalid text stays text and becomes a problem of the field. */
const toNumber = (text) => (text.trim() === "" ? null : Number.isNaN(Number(text)) ? text : Number(text));

function Input({ field, value, set, props }) {
  const shownValue = value ?? field.default;
  switch (field.type) {
    case "boolean":
      return html`<input type="checkbox" ...${props} checked=${Boolean(shownValue)}
        onChange=${(event) => set(event.currentTarget.checked)}
      />`;
    case "choice":
      return html`<select ...${props} value=${shownValue ?? ""}
        onChange=${(event) => set(event.currentTarget.value || null)}>
        ${
          (!shownValue || !field.choices.includes(shownValue)) &&
          html`<option value=${shownValue ?? ""}>${shownValue ?? "–"}</option>`
        }
        ${field.choices.map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}
      </select>`;
    case "integer":
    case "number":
      return html`<input type="number" class="num" ...${props} min=${field.least} max=${field.most}
        step=${field.type === "integer" ? 1 : "any"} value=${shownValue ?? ""}
        onInput=${(event) => set(toNumber(event.currentTarget.value))}
      />`;
    default:
      return html`<input type="text" class="mono" ...${props} spellcheck=${false} value=${shownValue ?? ""}
        placeholder=${field.type === "duration" ? "15s" : ""} onInput=${(event) => set(event.currentTarget.value)}
      />`;
  }
}

/** Return the initial value of a new list item. */
function newItem(item) {
  if (item.type !== "object") return item.type === "integer" ? 0 : "";
  const needed = item.fields.filter((field) => !field.optional);
  const start = (field) =>
    field.type === "choice"
      ? field.choices[0]
      : field.type === "integer"
        ? Math.max(field.default ?? 0, field.least ?? 0)
        : field.type === "object"
          ? {}
          : (field.default ?? "");
  return Object.fromEntries(needed.map((field) => [field.name, start(field)]));
}

function List({ field, path, value, problems, onSet }) {
  const items = Array.isArray(value) ? value : (field.default ?? []);
  // The default list is written as a whole before one of its items changes.
  const written = Array.isArray(value);
  const setItem = (place, tail, next) => {
    if (written) return onSet([...path, place, ...tail], next);
    const copy = structuredClone(items);
    if (tail.length) copy[place][tail[0]] = next;
    else copy[place] = next;
    return onSet(path, copy);
  };
  const remove = (place) => onSet(path, items.length > 1 ? items.filter((_item, index) => index !== place) : null);
  return html`<ol class="items">
    ${items.map(
      (item, place) => html`<li key=${place} class="item">
        <div class="item-fields">
          ${
            field.item.type === "object"
              ? field.item.fields.map(
                  (child) => html`<${Field} key=${child.name} field=${child} path=${[...path, place, child.name]}
                    value=${item?.[child.name]} problems=${problems} inList
                    onSet=${(full, next) => setItem(place, full.slice(path.length + 1), next)}
                  />`,
                )
              : html`<${Input} field=${field.item} value=${item} set=${(next) => setItem(place, [], next)}
                props=${{ "aria-label": fill(_("{name}, item {n}"), { name: field.name, n: place + 1 }) }}
              />`
          }
        </div>
        <button type="button" class="btn bare icon"
          aria-label=${fill(_("Remove item {n} of {name}"), { n: place + 1, name: field.name })}
          onClick=${() => remove(place)}
        >${icon("close")}</button>
        ${
          field.item.type !== "object" && html`<${Problems} problems=${problemsAt(problems, [...path, place], true)} />`
        }
      </li>`,
    )}
    <li>
      <button type="button" class="btn small" onClick=${() => onSet(path, [...items, newItem(field.item)])}>
        ${icon("plus")} ${fill(_("Add to {name}"), { name: field.name })}
      </button>
    </li>
  </ol>`;
}

function Fields({ field, path, value, problems, onSet }) {
  const setInside = (full, next) => {
    if (value !== undefined && value !== null) return onSet(full, next);
    if (next === null) return undefined;
    // A new entry includes its choices, because they have no default inside it.
    const choices = field.fields
      .filter((child) => child.type === "choice" && child.default)
      .map((each) => [each.name, each.default]);
    return onSet(path, { ...Object.fromEntries(choices), [full.at(-1)]: next });
  };
  return html`<div class="inside">
    ${field.fields.map(
      (child) => html`<${Field} key=${child.name} field=${child} path=${[...path, child.name]}
        value=${value?.[child.name]} problems=${problems} onSet=${setInside}
      />`,
    )}
  </div>`;
}

/**
 * `path`: the field's path in the configuration; `value`: as written, undefined if absent; `onSet(path, value)`, null:
 * remove.
 */
export function Field({ field, path, value, problems, onSet, inList = false }) {
  const id = useId();
  const isWritten = value !== undefined && value !== null;
  const nested = field.type === "object" || field.type === "list";
  const own = problemsAt(problems, path, !nested);
  const described = [field.help && `${id}-help`, own.length && `${id}-problems`].filter(Boolean).join(" ");
  const props = { id, "aria-describedby": described || undefined, "aria-invalid": own.length ? "true" : undefined };
  const origin = isWritten
    ? html`<button type="button" class="origin set"
      title=${fill(_("Back to the default: {value}"), { value: formatValue(field.default) })}
      onClick=${() => onSet(path, null)}
    >${_("set")} ${icon("close")}</button>`
    : html`<span class="origin">${_("default")}</span>`;
  const label = nested
    ? html`<span class="mono" id=${id}>${field.name}</span>`
    : html`<label class="mono" for=${id}>${field.name}</label>`;
  return html`<div class=${`entry ${nested ? "nested" : ""}`} data-field=${pathText(path)}>
    <div class="entry-head">${label}${!inList && origin}</div>
    ${
      field.type === "object"
        ? html`<${Fields} field=${field} path=${path} value=${value} problems=${problems} onSet=${onSet} />`
        : field.type === "list"
          ? html`<${List} field=${field} path=${path} value=${value} problems=${problems} onSet=${onSet} />`
          : html`<${Input} field=${field} value=${value} set=${(next) => onSet(path, next)} props=${props} />`
    }
    ${field.help && html`<p class="help" id=${`${id}-help`}>${_(field.help)}</p>`}
    <${Problems} problems=${own} id=${`${id}-problems`} />
  </div>`;
}
