/** The cluster: nodes by zone as cards, as a map of cells when there are many, or as a table. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { UNSEEN, VERDICTS } from "../frame.js";
import { _, ngettext, fill, number } from "../i18n.js";
import { groupLabel, groupLabels, layout } from "../nodes_model.js";
import { preferences } from "../preferences.js";
import { frame, ground, store } from "../store.js";
import { verdictWord } from "../words.js";
import { cardsFit, Cards } from "./cluster_cards.js";
import { Cells } from "./cluster_cells.js";
import { NodeTable } from "./cluster_table.js";
import { verdictMark } from "./parts/icon.js";
import { Segments } from "./parts/segments.js";

const LEGEND = ["chosen", "pass", "candidate", "rejected", "error", "unseen"];

/** How many nodes have which verdict: the legend and the summary in one. */
function Legend({ moment, total }) {
  if (!moment?.searching) return null;
  const evaluated = moment.verdict.length;
  const count = (state) => moment.counts[VERDICTS.indexOf(state)] + (state === VERDICTS[UNSEEN] ? total - evaluated : 0);
  return html`<ul class="legend" aria-label=${_("Verdicts")}>
    ${LEGEND.filter((state) => count(state) > 0).map(
      (state) => html`<li key=${state} data-verdict=${state}>${verdictMark(state)} <b>${number(count(state))}</b> ${verdictWord(state)}</li>`,
    )}
  </ul>`;
}

function GroupBy() {
  const labels = groupLabels.value;
  if (!labels.length) return null;
  return html`<select class="small" aria-label=${_("Group nodes by")} title=${_("Group nodes by")} value=${groupLabel.value} onChange=${(event) => (preferences.groupBy.value = event.currentTarget.value)}>
      ${labels.map((name) => html`<option value=${name} title=${name}>${fill(_("by {label}"), { label: name.split("/").at(-1) })}</option>`)}
      <option value="">${_("ungrouped")}</option>
    </select>`;
}

function useSize(ref) {
  const [size, setSize] = useState(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry.contentRect;
      setSize((old) => (old && Math.abs(old.width - width) < 1 && Math.abs(old.height - height) < 1 ? old : { width, height }));
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return size;
}

function Empty() {
  return html`<div class="empty">
    <p>${_("This cluster has no nodes yet.")}</p>
    <p class="row wrap">
      <button type="button" class="btn" onClick=${() => (store.dialog.value = { name: "new", template: "node" })}>${_("New node")}</button>
      <button type="button" class="btn" onClick=${() => (store.dialog.value = { name: "import" })}>${_("Import nodes and pods")}</button>
    </p>
  </div>`;
}

export function Cluster() {
  const body = useRef(null);
  const size = useSize(body);
  const model = layout.value;
  const moment = frame.value;
  const asTable = preferences.map.value === "table";
  const total = model?.columns.names.length ?? 0;
  const groups = model?.groups.length ?? 0;
  const stale = ground.value.asOf === "now" && moment && !store.following.value;
  return html`<section class="panel cluster" aria-labelledby="cluster-title">
    <div class="head">
      <h2 id="cluster-title">${_("Cluster")}</h2>
      <span class="about">${ngettext("{n} node", "{n} nodes", total)}${groups > 1 ? ` · ${groupLabel.value.endsWith("zone") ? ngettext("{n} zone", "{n} zones", groups) : ngettext("{n} group", "{n} groups", groups)}` : ""}${stale ? ` · ${_("bars: now")}` : ""}</span>
      <${Legend} moment=${moment} total=${total} />
      <span class="grow" />
      <${GroupBy} />
      <${Segments} label=${_("Show nodes as")} value=${preferences.map.value} onPick=${(value) => (preferences.map.value = value)}
        options=${[["map", _("map")], ["table", _("table")]]} />
    </div>
    <div class="cluster-body" ref=${body}>
      ${!model && html`<p class="quiet empty">${_("Reading the nodes")}</p>`}
      ${model && !total && html`<${Empty} />`}
      ${size && total > 0 && asTable && html`<${NodeTable} model=${model} />`}
      ${size && total > 0 && !asTable && (cardsFit(model, size) ? html`<${Cards} model=${model} width=${size.width} />` : html`<${Cells} model=${model} size=${size} />`)}
    </div>
  </section>`;
}
