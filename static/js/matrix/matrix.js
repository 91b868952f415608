/**
 * Node × plugin: each plugin's result for each node, then the scores. Plugins that did not run are hatched, never blank
 * or a pass.
 */
import { html, useMemo, useState } from "../../vendor/preact.js";
import { openLedger } from "../explain/open_explanation.js";
import { chooseNode, hover, pinNode, pinPlugin } from "../cycle/selection.js";
import { isComposing } from "../base/input_method.js";
import { plainReason } from "../cycle/plain_reasons.js";
import { CANDIDATE, VERDICTS } from "../cycle/frame.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { filterBy } from "../base/screen.js";
import { store } from "../base/store.js";
import { staleCycle, staleChangeFor } from "../cycle/stale_verdicts.js";
import { shortPlugin } from "../cycle/cycle_texts.js";
import { CompleteSwitch, totalColumn } from "./matrix_parts.js";
import { matrixRows } from "./matrix_rows.js";
import { PictureMenu } from "../pictures/picture_menu.js";
import { Grid } from "../parts/grid.js";
import { icon, verdictMark } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";
import { lazy } from "../parts/lazy.js";
import { asPanel, useFrame } from "../cycle/panel_frames.js";

const StaleNote = lazy(() => import("../drive/stale_note.js").then((module) => module.StaleNote));
const MatrixComplete = lazy(() => import("./complete_matrix.js").then((module) => module.MatrixComplete));

const screenReaderText = (text) => html`<span class="sr">${text}</span>`;
// Shared objects for all cells, as in icon.js.
const NOT_RUN = html`<span class="hatched cell-fill">${screenReaderText(_("not run"))}</span>`;
const TO_COME = html`<span class="quiet">${screenReaderText(_("to come"))}</span>`;
const PASS = html`<span class="is-pass">${icon("pass")}${screenReaderText(_("pass"))}</span>`;

/** Return how far a row got in the filters: the rejecting column, or how many have passed it. */
function filterProgress(moment, row) {
  if (row.unseen) return { passed: 0, failed: -1, unseen: true };
  const rowIndex = moment.row.get(row.type === "group" ? row.names[0] : row.name);
  const failed = moment.failedBy[rowIndex];
  const rejected = row.status !== undefined && row.status !== null;
  // A rejection outside the filter columns came from PreFilter or an extender.
  if (rejected && failed < 0) return { passed: 0, failed: -1, outside: true };
  return { passed: rejected ? failed : moment.searching ? moment.reached : 0, failed };
}

function filterCell(moment, column, row) {
  const { passed, failed, unseen, outside } = filterProgress(moment, row);
  if (unseen || outside) return NOT_RUN;
  if (column === failed)
    return html`<span class="cell-fill fail">
      ${icon(row.status.code === "Error" ? "error" : "rejected")}
      ${screenReaderText(row.status.code === "Error" ? _("error") : _("fail"))}
    </span>`;
  if (column < passed) return PASS;
  return failed >= 0 ? NOT_RUN : TO_COME;
}

function scoreCell(moment, score, mode, row) {
  const position = row.name ? (moment.position.get(moment.row.get(row.name)) ?? -1) : -1;
  if (!row.unseen && !row.status && moment.reached < moment.filters.length) return TO_COME;
  if (row.unseen || row.status || position < 0) return NOT_RUN;
  if (mode === "raw") return score.hasRaw ? formatNumber(score.raw[position]) : TO_COME;
  if (!score.hasNormalized) return TO_COME;
  return formatNumber(score.normalized[position] * (mode === "weighted" ? score.weight : 1));
}

function totalCell(moment, row) {
  const position = row.name ? (moment.position.get(moment.row.get(row.name)) ?? -1) : -1;
  if (row.unseen || row.status) return NOT_RUN;
  if (position < 0) return TO_COME;
  if (moment.totals) return html`<b>${formatNumber(moment.totals[position])}</b>`;
  return moment.soFar
    ? html`<span class="so-far" title=${_("the scores so far")}>${formatNumber(moment.soFar[position])}</span>`
    : TO_COME;
}

function NameCell({ moment, row }) {
  if (row.type === "group") {
    const label = row.unseen
      ? ngettext("{n} node not evaluated", "{n} nodes not evaluated", row.names.length)
      : html`
        <b>${formatNumber(row.names.length)}</b> ${row.label}
        ${row.final && html` <span class="quiet" title=${row.code}>· ${_("removing pods would not help")}</span>`}
      `;
    return html`<span class="group-name cut"
      title=${row.unseen ? "" : `${row.plugin} ${row.code}: ${row.reasons.join(", ")}`}
    >${icon(row.open ? "down" : "right", "quiet")} ${label}</span>`;
  }
  const rowIndex = moment.row.get(row.name);
  const state = row.unseen ? "unseen" : VERDICTS[moment.verdict[rowIndex] ?? CANDIDATE];
  const reason =
    row.type === "node" && row.status
      ? html` <span class="is-rejected">${row.status.reasons.map((reason) => plainReason(reason)).join(", ")}</span>`
      : null;
  return html`<span class=${`cut ${row.type === "member" ? "member" : ""}`} title=${row.status?.reasons.join(", ")}>
    ${verdictMark(state)} <span class="mono">${row.name}</span>
    ${reason}
  </span>`;
}

/** Return why some nodes were not evaluated. */
function samplingText({ nodes }) {
  const left = nodes.total - nodes.evaluated;
  if (left <= 0 || nodes.toFind === null) return null;
  const values = { n: formatNumber(left), want: formatNumber(nodes.toFind), total: formatNumber(nodes.total) };
  return fill(
    _("{n} nodes not evaluated: the search stops at {want} feasible nodes of {total} (percentageOfNodesToScore)"),
    values,
  );
}

function useOrder(moment) {
  const [sort, setSort] = useState(null);
  const score = moment?.scores.find((one) => one.plugin === sort);
  const order = useMemo(() => {
    if (!moment || !sort) return null;
    if (sort === "name") return (a, b) => a.localeCompare(b, undefined, { numeric: true });
    if (!score) return null;
    const value = (name) => score.normalized[moment.position.get(moment.row.get(name))] ?? -1;
    return (a, b) => value(b) - value(a);
  }, [moment, sort]);
  return [order, sort, (next) => setSort(next === sort ? null : next)];
}

export const Matrix = asPanel("matrix", () => {
  const moment = useFrame();
  return preferences.complete.value && moment?.matrix
    ? html`<${MatrixComplete} moment=${moment} />`
    : html`<${MatrixAsRun} moment=${moment} />`;
});

/** Return true if the row is older than a change; a group is if any of its nodes is. */
const isStale = (row) => (row.names ?? [row.name]).some((name) => staleChangeFor(name));

function MatrixAsRun({ moment }) {
  const [open, setOpen] = useState(new Set());
  const [order, sort, setSort] = useOrder(moment);
  const text = store.filter.value;
  const mode = preferences.values.value;
  const allNames = store.nodes.value?.names;
  const rows = useMemo(
    () => (moment?.matrix ? matrixRows(moment, { open, text, allNames, order }) : []),
    [moment, open, text, allNames, order],
  );
  const total = allNames?.length ?? 0;
  const about = moment?.matrix
    ? fill(_("{n} of {total} evaluated"), {
        n: formatNumber(moment.verdict.length),
        total: formatNumber(moment.record.cycle.nodes.total ?? total),
      })
    : "";
  const head = html`<div class="head">
    <h2 id="matrix-title">${_("Node × plugin")}</h2>
    <span class="about" title=${about}>${about}</span>
    <span class="grow" />
    ${moment?.matrix && html`<${CompleteSwitch} />`}
    <${Segments} label=${_("Scores as")} value=${mode} onPick=${(value) => (preferences.values.value = value)}
      options=${[["raw", _("raw")], ["normalized", _("normalized")], ["weighted", _("× weight")]]}
    />
    <input id="matrix-filter" type="search" class="small" placeholder=${_("filter   /")}
      aria-label=${_("Filter nodes by name, plugin or reason")} value=${text}
      onInput=${(event) => filterBy(event.currentTarget.value)}
      onKeyDown=${(event) =>
        event.key === "Escape" && !isComposing(event) && ((filterBy(""), event.currentTarget.blur()))}
    />
    <${PictureMenu} view="matrix" />
  </div>`;
  if (!moment?.matrix) {
    return html`<section class="panel matrix" aria-labelledby="matrix-title">
      ${head}
      <p class="empty quiet">
        ${
          moment
            ? _("This cycle ended before nodes were searched, so there is no matrix.")
            : _("Results per node and plugin appear after a cycle.")
        }
      </p>
    </section>`;
  }
  const pluginInView = store.hovered.value.plugin ?? store.pinned.value.plugin;
  const mark = (plugin) => (plugin === pluginInView ? "plugin-on" : "");
  const columns = [
    {
      id: "name",
      width: "minmax(150px, 2.2fr)",
      className: "first",
      head: html`<button type="button" class="sort" tabindex="-1" aria-pressed=${sort === "name"}
        onClick=${() => setSort("name")}
      >${_("Node")} ${sort === "name" && icon("down")}</button>`,
      cell: (row) => html`<${NameCell} moment=${moment} row=${row} />`,
    },
    ...moment.filters.map((plugin, index) => ({
      id: plugin,
      width: "minmax(44px, 1fr)",
      label: `Filter ${plugin}`,
      className: `centre-cell ${mark(plugin)} ${index < moment.reached ? "" : "to-come"}`,
      head: html`<span class="cut">${shortPlugin(plugin)}</span>`,
      cell: (row) => filterCell(moment, index, row),
    })),
    ...moment.scores.map((score, index) => ({
      id: `score ${score.plugin}`,
      width: "minmax(46px, 1fr)",
      label: `Score ${score.plugin} ×${score.weight}`,
      className: `num ${index === 0 ? "ruled" : ""} ${mark(score.plugin)}`,
      head: html`<button type="button" class="sort cut" tabindex="-1" aria-pressed=${sort === score.plugin}
        onClick=${() => setSort(score.plugin)}
      >${shortPlugin(score.plugin)}</button>`,
      cell: (row) => scoreCell(moment, score, mode, row),
    })),
    ...totalColumn(moment.scores, (row) => totalCell(moment, row)),
  ];
  const pinned = store.pinned.value.node;
  const rowAt = (index) => {
    const row = rows[index];
    const state =
      row.type === "node" && !row.status && !row.unseen ? VERDICTS[moment.verdict[moment.row.get(row.name)]] : "";
    return {
      ...row,
      selected: row.name !== undefined && row.name === pinned,
      expanded: row.type === "group" ? row.open : undefined,
      className: `row-${row.type} ${isStale(row) ? "stale" : ""} ${state === "chosen" ? "chosen-row" : ""}`,
    };
  };
  const toggle = (row, isOpen) => {
    const next = new Set(open);
    next[isOpen ? "add" : "delete"](row.key);
    setOpen(next);
  };
  const pin = (row, column) => {
    const plugin = column?.replace(/^score /, "") ?? null;
    if (!moment.filters.includes(plugin) && !moment.scores.some((score) => score.plugin === plugin))
      return chooseNode(row.name);
    pinNode(row.name);
    return pinPlugin(plugin);
  };
  const note = samplingText(moment.record.cycle);
  return html`<section class="panel matrix" aria-labelledby="matrix-title">
    ${head}
    ${staleCycle.value?.change && html`<${StaleNote} change=${staleCycle.value.change} />`}
    <${Grid} id="matrix" label=${_("Node × plugin")} columns=${columns} count=${rows.length} rowAt=${rowAt}
      top=${`${moment.record.cycle.number} ${text}`}
      onActivate=${(row, column, byKey) =>
        row.type === "group" ? toggle(row, !row.open) : byKey ? openLedger(row.name) : pin(row, column)}
      onExpand=${toggle}
      onHover=${(row, column) => hover({ node: row?.name ?? null, plugin: column?.replace(/^score /, "") ?? null })}
    />
    <p class="matrix-foot quiet">
      ${
        moment.skippedFilters.length > 0 &&
        html`<span class="cut" title=${moment.skippedFilters.join(", ")}>
          ${fill(_("Filter skipped by PreFilter: {plugins}"), {
            plugins: moment.skippedFilters.map(shortPlugin).join(", "),
          })}
        </span>`
      }
      ${note && html`<span class="cut" title=${note}>${note}</span>`}
      <span class="legend-line">
        <span>${icon("pass", "is-pass")} ${_("pass")}</span>
        <span>${icon("rejected", "is-rejected")} ${_("fail")}</span>
        <span><i class="hatched swatch" /> ${_("not run")}</span>
      </span>
    </p>
  </section>`;
}
