/** The controls of the cluster panel: grouping, colors, zoom level, and the legend. */
import { html } from "../../vendor/preact.js";
import { UNSEEN, VERDICTS } from "../cycle/frame.js";
import { resourceLabel } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { groupLabel, groupLabels } from "../nodes/nodes_model.js";
import { preferences } from "../base/preferences.js";
import { samplingNote, verdictWord } from "../cycle/cycle_texts.js";
import { LEVELS, colourResource, level, levelText, zoomTo } from "./zoom_level.js";
import { verdictMark } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";

const LEGEND = ["chosen", "pass", "candidate", "rejected", "error", "unseen"];

/** The number of nodes per verdict, as legend and summary. */
function Verdicts({ moment, total, note }) {
  const evaluated = moment.verdict.length;
  const count = (state) =>
    moment.counts[VERDICTS.indexOf(state)] + (state === VERDICTS[UNSEEN] ? total - evaluated : 0);
  return LEGEND.filter((state) => count(state) > 0).map(
    (state) =>
      html`<li key=${state} data-verdict=${state}>
        ${verdictMark(state)} ${
          state === "unseen" && note ? note : html`<b>${formatNumber(count(state))}</b> ${verdictWord(state)}`
        }
      </li>`,
  );
}

/** The five steps of the other colors, from low to high. */
function ColorSteps({ heat }) {
  return html`
    ${heat.legend.map(
      (text, i) =>
        text && html`<li key=${i} data-step=${i}><i class=${`swatch heat-${(heat.from ?? 0) + i}`} /> ${text}</li>`,
    )}
    ${heat.none && html`<li data-step="none"><i class="swatch heat-none hatched" /> ${heat.none}</li>`}
    ${heat.end && html`<li><button type="button" class="link" onClick=${heat.end}>${_("end")}</button></li>`}
  `;
}

/** The legend of the colors, and why some nodes were not evaluated; nothing before the first cycle. */
export function Legend({ moment, total, heat }) {
  const note = moment?.searching && samplingNote(moment.record.cycle);
  if (!heat && !moment?.searching) return null;
  return html`<div class="legends">
    <ul class="legend" aria-label=${heat ? _("Colors") : _("Verdicts")}>
      ${
        heat
          ? html`<${ColorSteps} heat=${heat} />`
          : html`<${Verdicts} moment=${moment} total=${total}
        note=${note} />`
      }
    </ul>
    ${heat && note && html`<p class="quiet cut" title=${note}>${note}</p>`}
  </div>`;
}

function GroupBy() {
  const labels = groupLabels.value;
  if (!labels.length) return null;
  return html`<select class="small" aria-label=${_("Group nodes by")} title=${_("Group nodes by")}
    value=${groupLabel.value} onChange=${(event) => (preferences.groupBy.value = event.currentTarget.value)}
  >
    ${labels.map((name) => html`<option value=${name}>${fill(_("by {label}"), { label: name })}</option>`)}
    <option value="">${_("ungrouped")}</option>
  </select>`;
}

function ColourBy({ model }) {
  const mode = preferences.colour.value;
  const pick = (event) => {
    const [colour, resource = ""] = event.currentTarget.value.split(/:(.*)/s);
    preferences.colour.value = colour;
    if (colour === "use") preferences.colourResource.value = resource;
  };
  return html`<select class="small" aria-label=${_("Color nodes by")} title=${_("Color nodes by")}
    value=${mode === "use" ? `use:${colourResource.value}` : mode} onChange=${pick}
  >
    <option value="verdict">${_("verdict")}</option>
    <option value="use:">${_("use, fullest resource")}</option>
    ${model.resources.map(
      (resource) => html`<option value=${`use:${resource}`}>
        ${fill(_("use of {resource}"), { resource: resourceLabel(resource) })}
      </option>`,
    )}
    <option value="score">${_("score")}</option>
    <option value="owner">${_("owner of the pods")}</option>
  </select>`;
}

function ViewSwitch() {
  const shown = preferences.map.value === "table" ? "table" : level.value;
  const pick = (value) => (value === "table" ? (preferences.map.value = "table") : zoomTo(value));
  const hint = {
    groups: _("one tile per group"),
    cells: _("one cell per node"),
    nodes: _("bars and pods of every node"),
    table: _("one row per node"),
  };
  return html`<${Segments} label=${_("Show nodes as")} value=${shown} onPick=${pick}
    options=${[...LEVELS.map((name) => [name, levelText(name), `${hint[name]}  z`]), ["table", _("table"), hint.table]]}
  />`;
}

export function Controls({ model }) {
  return html`<${GroupBy} /><${ColourBy} model=${model} /><${ViewSwitch} />`;
}
