/**
 * Node × plugin in Complete mode: every plugin on every node. Results that the real run did not compute are hollow on
 * hatching.
 */
import { html } from "../../vendor/preact.js";
import { clusterPath } from "../base/api.js";
import { openLedger } from "../explain/open_explanation.js";
import { chooseNode, hover, pinNode, pinPlugin } from "../cycle/selection.js";
import { isComposing } from "../base/input_method.js";
import { answerAt } from "../explain/cached_answers.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { filterBy } from "../base/screen.js";
import { store } from "../base/store.js";
import { shortPlugin } from "../cycle/cycle_texts.js";
import { CompleteSwitch, totalColumn } from "./matrix_parts.js";
import { Answer } from "../parts/answer.js";
import { Grid } from "../parts/grid.js";
import { icon } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";
import { GlossaryButton } from "../parts/glossary_button.js";

const screenReaderText = (text) => html`<span class="sr">${text}</span>`;

/**
 * Return one row per group of nodes with equal results: [{key, names, at, verdicts: [status index], evaluated,
 * feasible: position or -1}]. Pure.
 */
function completeRows(matrix, text) {
  const filterText = text.toLowerCase();
  const feasible = new Map(matrix.feasible.map((row, index) => [row, index]));
  const groups = new Map();
  matrix.names.forEach((name, row) => {
    const verdicts = matrix.verdicts.map((column) => column[row]);
    const evaluated = row < matrix.evaluated;
    const reasons = verdicts
      .filter(Boolean)
      .map((index) => `${matrix.statuses[index].plugin} ${matrix.statuses[index].reasons.join(" ")}`)
      .join(" ");
    if (filterText && !`${name} ${reasons}`.toLowerCase().includes(filterText)) return;
    const position = feasible.get(row) ?? -1;
    // Nodes with scores have their own rows, others share one per result.
    const key = position >= 0 ? name : `${evaluated} ${verdicts.join(" ")}`;
    if (!groups.has(key))
      groups.set(key, { key, names: [], verdicts, evaluated, feasible: position, status: matrix.status[row] });
    groups.get(key).names.push(name);
  });
  return [...groups.values()].sort(
    (a, b) =>
      matrix.totals[b.feasible] - matrix.totals[a.feasible] ||
      Number(b.feasible >= 0) - Number(a.feasible >= 0) ||
      b.evaluated - a.evaluated ||
      b.names.length - a.names.length,
  );
}

/** Return the first failing plugin, where the real run stopped. */
const stoppedAt = (row) => row.verdicts.findIndex(Boolean);

function verdictCell(matrix, column, row) {
  const index = row.verdicts[column];
  const stop = stoppedAt(row);
  const ran = row.evaluated && (stop < 0 || column <= stop);
  const status = matrix.statuses[index];
  const word = index === 0 ? _("pass") : `${_("fail")}: ${status.reasons.join(", ") || status.code}`;
  const mark =
    index === 0 ? icon("pass", "is-pass") : icon(status.code === "Error" ? "error" : "rejected", "is-rejected");
  if (ran)
    return html`<span class=${`cell-fill ${index ? "fail" : ""}`} title=${word} data-ran="true">
      ${mark}
      ${screenReaderText(word)}
    </span>`;
  return html`<span class="cell-fill hatched would" title=${fill(_("not run; the result would be: {word}"), { word })}
    data-ran="false"
  ><span
    class="would-mark">${mark}</span>${screenReaderText(
      fill(_("not run; the result would be: {word}"), { word }),
    )}</span>`;
}

function scoreCell(matrix, index, mode, row) {
  if (row.feasible < 0) return html`<span class="hatched cell-fill">${screenReaderText(_("not scored"))}</span>`;
  const value =
    mode === "raw"
      ? matrix.raw[index][row.feasible]
      : matrix.normalized[index][row.feasible] * (mode === "weighted" ? matrix.weights[index] : 1);
  return row.evaluated ? formatNumber(value) : html`<span class="would-number">${formatNumber(value)}</span>`;
}

function NameCell({ row, chosen }) {
  const many = row.names.length > 1;
  const name = many
    ? html`<b>${formatNumber(row.names.length)}</b> ${row.names[0]} …`
    : html`<span class="mono">${row.names[0]}</span>`;
  const mark = row.names.includes(chosen)
    ? icon("chosen", "is-chosen")
    : stoppedAt(row) >= 0
      ? icon("rejected", "is-rejected")
      : row.evaluated
        ? icon("pass", "is-pass")
        : icon("unseen", "is-unseen");
  return html`<span class="cut" title=${row.names.slice(0, 40).join(", ")}>
    ${mark} ${name}
    ${row.evaluated ? "" : html` <span class="quiet">${_("not evaluated")}</span>`}
  </span>`;
}

function Table({ matrix, moment }) {
  const mode = preferences.values.value;
  const rows = completeRows(matrix, store.filter.value);
  const pluginInView = store.hovered.value.plugin ?? store.pinned.value.plugin;
  const mark = (plugin) => (plugin === pluginInView ? "plugin-on" : "");
  const chosen = moment.record.cycle.node;
  const columns = [
    {
      id: "name",
      width: "minmax(150px, 2.2fr)",
      className: "first",
      head: _("Node"),
      cell: (row) => html`<${NameCell} row=${row} chosen=${chosen} />`,
    },
    ...matrix.filterPlugins.map((plugin, index) => ({
      id: plugin,
      width: "minmax(44px, 1fr)",
      label: `Filter ${plugin}`,
      className: `centre-cell ${mark(plugin)}`,
      head: html`<span class="cut">${shortPlugin(plugin)}</span>`,
      cell: (row) => verdictCell(matrix, index, row),
    })),
    ...matrix.scorePlugins.map((plugin, index) => ({
      id: `score ${plugin}`,
      width: "minmax(46px, 1fr)",
      label: `Score ${plugin} ×${matrix.weights[index]}`,
      className: `num ${index === 0 ? "ruled" : ""} ${mark(plugin)}`,
      head: html`<span class="cut">${shortPlugin(plugin)}</span>`,
      cell: (row) => scoreCell(matrix, index, mode, row),
    })),
    ...totalColumn(matrix.scorePlugins, (row) =>
      row.feasible < 0
        ? html`<span class="hatched cell-fill">${screenReaderText(_("not scored"))}</span>`
        : row.evaluated
          ? html`<b>${formatNumber(matrix.totals[row.feasible])}</b>`
          : html`<span class="would-number">${formatNumber(matrix.totals[row.feasible])}</span>`,
    ),
  ];
  const pinned = store.pinned.value.node;
  const rowAt = (index) => ({
    ...rows[index],
    selected: rows[index].names.includes(pinned),
    className: rows[index].names.includes(chosen) ? "chosen-row" : "",
  });
  const activate = (row, column, byKey) => {
    if (byKey) return openLedger(row.names[0]);
    const plugin = column?.replace(/^score /, "");
    if (!matrix.filterPlugins.includes(plugin) && !matrix.scorePlugins.includes(plugin))
      return chooseNode(row.names[0]);
    pinNode(row.names[0]);
    return pinPlugin(plugin);
  };
  return html`
    <${Grid} id="matrix" label=${_("Node × plugin, complete")} columns=${columns} count=${rows.length} rowAt=${rowAt}
      top=${`${moment.record.cycle.number} ${store.filter.value}`} onActivate=${activate}
      onHover=${(row, column) =>
        hover({ node: row?.names.length === 1 ? row.names[0] : null, plugin: column?.replace(/^score /, "") ?? null })}
    />
    <p class="matrix-foot quiet">
      <span>
        ${ngettext("kube-scheduler evaluated {n} node.", "kube-scheduler evaluated {n} nodes.", matrix.evaluated)} ${_(
          "kube-scheduler scored only the nodes it sampled. This view scores every feasible node.",
        )}
      </span>
      <span class="legend-line">
        <span>${icon("pass", "is-pass")} ${_("pass")}</span>
        <span>${icon("rejected", "is-rejected")} ${_("fail")}</span>
        <span class="row"><i class="hatched swatch would" /> ${_("not run by kube-scheduler; simulated result")}</span>
      </span>
    </p>
  `;
}

export function MatrixComplete({ moment }) {
  const { number: cycle } = moment.record.cycle;
  const mode = preferences.values.value;
  const answer = answerAt(`${clusterPath(store.cluster.value.id, "cycles", cycle, "matrix")}?complete=1`);
  return html`<section class="panel matrix complete" aria-labelledby="matrix-title" data-complete>
    <div class="head">
      <h2 id="matrix-title">${_("Node × plugin")}</h2>
      <${GlossaryButton} kind="point" name="Filter" />
      <span class="about is-waiting" title=${_("complete; kube-scheduler itself stops at the first failure")}>
        ${_("complete; kube-scheduler itself stops at the first failure")}
      </span>
      <span class="grow" />
      <${CompleteSwitch} />
      <${Segments} label=${_("Scores as")} value=${mode} onPick=${(value) => (preferences.values.value = value)}
        options=${[["raw", _("raw")], ["normalized", _("normalized")], ["weighted", _("× weight")]]}
      />
      <input id="matrix-filter" type="search" class="small" placeholder=${_("filter   /")}
        aria-label=${_("Filter nodes by name, plugin or reason")} value=${store.filter.value}
        onInput=${(event) => filterBy(event.currentTarget.value)}
        onKeyDown=${(event) =>
          event.key === "Escape" && !isComposing(event) && ((filterBy(""), event.currentTarget.blur()))}
      />
    </div>
    <${Answer} answer=${answer}>${(matrix) => html`<${Table} matrix=${matrix} moment=${moment} />`}<//>
  </section>`;
}
