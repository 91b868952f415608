/** The nodes as a table: the facts of the map in text. */
import { html, useMemo, useState } from "../../vendor/preact.js";
import { chooseNode, hover } from "../cycle/selection.js";
import { verdictOf } from "../cycle/frame.js";
import { formatUsage, unitOf } from "../base/format.js";
import { _, formatNumber } from "../base/i18n.js";
import { describeNode, fullness, groupLabel } from "../nodes/nodes_model.js";
import { store } from "../base/store.js";
import { verdictWord } from "../cycle/cycle_texts.js";
import { Grid } from "../parts/grid.js";
import { icon, verdictMark } from "../parts/icon.js";
import { useFrame } from "../cycle/panel_frames.js";

const ORDER = ["chosen", "pass", "candidate", "error", "rejected", "unseen", "idle"];

function sortNodes(model, moment, sort, group) {
  const names = model.columns.names;
  const full = fullness(model);
  const rank = names.map((name) => ORDER.indexOf(verdictOf(moment, name).state));
  const comparator = {
    name: (a, b) => names[a].localeCompare(names[b], undefined, { numeric: true }),
    group: (a, b) => (group[a] ?? "").localeCompare(group[b] ?? "", undefined, { numeric: true }),
    verdict: (a, b) =>
      rank[a] - rank[b] || (verdictOf(moment, names[b]).total ?? 0) - (verdictOf(moment, names[a]).total ?? 0),
    full: (a, b) => full[b] - full[a],
  }[sort];
  return names.map((_name, i) => i).sort((a, b) => comparator(a, b) || a - b);
}

export function NodeTable({ model }) {
  const [sort, setSort] = useState("verdict");
  const moment = useFrame();
  const text = store.filter.value.toLowerCase();
  const label = groupLabel.value;
  const group = model.columns.labels?.[label] ?? [];
  const order = useMemo(() => {
    const all = sortNodes(model, moment, sort, group);
    return text ? all.filter((i) => model.columns.names[i].toLowerCase().includes(text)) : all;
  }, [model, moment, sort, text]);
  const pinned = store.pinned.value.node;
  const headButton = (id, words) =>
    html`<button type="button" class="sort" tabindex="-1" aria-pressed=${sort === id} onClick=${() => setSort(id)}>
      ${words} ${sort === id && icon("down")}
    </button>`;
  const columns = [
    {
      id: "name",
      width: "minmax(120px, 1.2fr)",
      head: headButton("name", _("Node")),
      className: "mono cut",
      sort: sort === "name" ? "ascending" : undefined,
      cell: ({ node }) => node.name,
    },
    ...(label
      ? [
          {
            id: "group",
            width: "minmax(70px, .7fr)",
            head: headButton("group", label.split("/").at(-1)),
            className: "cut",
            cell: ({ i }) => group[i],
          },
        ]
      : []),
    {
      id: "verdict",
      width: "minmax(120px, 1.6fr)",
      head: headButton("verdict", _("Verdict")),
      className: "cut",
      cell: ({ node }) =>
        html`${verdictMark(node.state)} <span class=${`is-${node.state}`} title=${node.reasons.join(", ")}>
          ${node.reason || verdictWord(node.state)}
        </span>`,
    },
    {
      id: "total",
      width: "56px",
      head: _("Total"),
      className: "num",
      cell: ({ node }) => (node.total === null ? "" : html`<b>${formatNumber(node.total)}</b>`),
    },
    ...model.resources.map((resource) => ({
      id: resource,
      width: "minmax(96px, 1fr)",
      head: resource === model.resources[0] ? headButton("full", unitOf(resource)) : unitOf(resource),
      className: "num mono cut",
      cell: ({ node }) => {
        const bar = node.bars.find((one) => one.resource === resource);
        return bar
          ? formatUsage(resource, bar.used, node.alive ? bar.added : 0, bar.total)
          : html`<span class="quiet">–</span>`;
      },
    })),
    { id: "pods", width: "48px", head: _("Pods"), className: "num", cell: ({ node }) => formatNumber(node.pods) },
  ];
  const rowAt = (index) => {
    const i = order[index];
    const node = describeNode(model, i, moment);
    return { key: node.name, i, node, selected: node.name === pinned, className: `v-${node.state}` };
  };
  return html`<${Grid} id="node-table" label=${_("Nodes")} columns=${columns} count=${order.length} rowAt=${rowAt}
    top=${sort} onActivate=${(row) => chooseNode(row.node.name)}
    onHover=${(row) => hover({ node: row?.node.name ?? null })}
  />`;
}
