/** The fields for many objects: count, numbering, labels, and a preview. */
import { html } from "../../vendor/preact.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { MOST } from "./bulk_objects.js";

const LISTED_OBJECTS = 6;

const readCount = (event) => Math.max(0, Math.min(MOST, Math.floor(Number(event.currentTarget.value) || 0)));

/** `settings`: {count, from, key, values}, texts as typed; `marks`: the placeholders in the names. */
export function BulkFields({ settings, placeholders, nodes, onSettings }) {
  const set = (part) => onSettings({ ...settings, ...part });
  return html`<fieldset class="bulk">
    <legend class="sr">${_("How many")}</legend>
    ${
      placeholders.node
        ? html`<span>${fill(_("one for each of {n} nodes"), { n: formatNumber(nodes) })}</span>`
        : html`
          <label class="row">
            ${_("Number of objects")} <input type="number" class="small count" min="1" max=${MOST}
              value=${settings.count} onInput=${(event) => set({ count: readCount(event) })}
            />
          </label>
          <label class="row">
            <span class="quiet">${_("numbered from")}</span> <input type="number" class="small count" min="0"
              value=${settings.from} disabled=${!placeholders.n} onInput=${(event) => set({ from: readCount(event) })}
            />
          </label>
        `
    }
    <label class="row">
      <span class="quiet">${_("label")}</span> <input type="text" class="small mono" list="spread-keys"
        value=${settings.key} disabled=${!placeholders.n && !placeholders.node}
        placeholder="topology.kubernetes.io/zone"
        onInput=${(event) => set({ key: event.currentTarget.value.trim() })}
      />
    </label>
    <label class="row">
      <span class="quiet">${_("in turn")}</span> <input type="text" class="small mono" value=${settings.values}
        disabled=${!placeholders.n && !placeholders.node} placeholder="zone-a, zone-b, zone-c"
        onInput=${(event) => set({ values: event.currentTarget.value })}
      />
    </label>
    <datalist id="spread-keys">
      <option value="topology.kubernetes.io/zone" />
      <option value="topology.kubernetes.io/region" />
      <option value="node.kubernetes.io/instance-type" />
    </datalist>
  </fieldset>`;
}

/** The names of the first objects, and how many more there are. */
export function Preview({ objects, spread }) {
  if (objects === null) return html`<p class="quiet">${_("A preview appears here once the YAML is valid.")}</p>`;
  const shown =
    objects.length > LISTED_OBJECTS + 1 ? [...objects.slice(0, LISTED_OBJECTS - 1), null, objects.at(-1)] : objects;
  return html`<div class="made" data-made=${objects.length}>
    <p><b>${ngettext("creates {n} object", "creates {n} objects", objects.length)}</b></p>
    <ul>
      ${shown.map((object, index) =>
        object
          ? html`<li key=${index} class="mono">
            <span class="quiet">${object.kind}</span> ${object.metadata?.name}
            ${
              spread?.key && object.metadata?.labels?.[spread.key]
                ? html` <span class="quiet">${object.metadata.labels[spread.key]}</span>`
                : ""
            }
          </li>`
          : html`<li key="more" class="quiet">
            ${ngettext("… {n} more", "… {n} more", objects.length - LISTED_OBJECTS)}
          </li>`,
      )}
    </ul>
  </div>`;
}
