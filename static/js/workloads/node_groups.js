/** Node groups over the nodes: size and limits, resources and price of a new node, state. */
import { html, useEffect } from "../../vendor/preact.js";
import { resourceLabel } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { loadStyleSheet } from "../parts/style_sheet.js";
import { workloads } from "../clusters/workloads.js";

await loadStyleSheet(new URL("./node_groups.css", import.meta.url));

const MARKS = 40; // nodes of a group drawn one by one

/** Return true if an autoscaler changes the sizes of groups. */
const isAutoscaled = ({ actors, counts }) => Boolean(counts.ClusterAutoscaler) && actors.includes("cluster-autoscaler");

/** Return the kind of state and its words: stays, full, growing (some are not ready yet), least (or below), or room. */
function groupState({ nodes, ready, least, most, offers, says }) {
  // A group with an error has no `offers`; `says` is the error.
  if (says && !Object.keys(offers).length) return ["full", says];
  if (!isAutoscaled(store.cluster.value)) return ["stays", _("fixed size: no ClusterAutoscaler is running")];
  if (ready < nodes) return ["growing", ngettext("{n} node is not ready", "{n} nodes are not ready", nodes - ready)];
  if (nodes >= most) return ["full", _("maximum size reached")];
  if (nodes < least) return ["least", _("below the minimum size")];
  if (nodes <= least) return ["least", _("minimum size reached")];
  return ["room", fill(_("may grow by {n}"), { n: formatNumber(most - nodes) })];
}

const costOf = ({ price, nodes }) =>
  price === null
    ? null
    : fill(_("{each} per node and hour, {all} in total"), {
        each: formatNumber(price),
        all: formatNumber(Math.round(price * nodes * 1000) / 1000),
      });

function Group({ group }) {
  const [state, words] = groupState(group);
  const offers = Object.entries(group.offers)
    .map(([resource, amount]) => `${amount} ${resourceLabel(resource)}`)
    .join(", ");
  const cost = costOf(group);
  const more = fill(_("new node: {offers}, ready after {n} s"), { offers, n: formatNumber(group.provision_seconds) });
  const about = offers ? [words, more, cost, group.says].filter(Boolean).join(" · ") : words;
  const drawn = Math.min(group.most, MARKS);
  const edit = () => openDialog("object", { kind: "NodeGroup", objectKey: group.name });
  return html`<li>
    <button type="button" class="node-group" data-node-group=${group.name} data-standing=${state}
      title=${_("Change the node group")} onClick=${edit}
    >
      <span class="first">
        <b class="mono cut">${group.name}</b>
        <span class="marks" aria-hidden="true">
          ${Array.from({ length: drawn }, (_one, i) => {
            const size = ((i + 0.5) * group.most) / drawn;
            return html`<i key=${i} class=${size < group.ready ? "there" : size < group.nodes ? "coming" : ""} />`;
          })}
        </span>
        <span class="num">${fill(_("{nodes} nodes (minimum {least}, maximum {most})"), {
          nodes: formatNumber(group.nodes),
          least: formatNumber(group.least),
          most: formatNumber(group.most),
        })}</span>
      </span>
      <span class="about cut" title=${about}><b class="says">${words}</b>${about.slice(words.length)}</span>
    </button>
  </li>`;
}

export function NodeGroups() {
  const cluster = store.cluster.value;
  useEffect(workloads.refresh, [cluster.id, cluster.revision]);
  const groups = workloads.current()?.groups ?? [];
  if (!groups.length) return null;
  return html`<ul class="node-groups" aria-label=${_("Node groups")}>
    ${groups.map((group) => html`<${Group} key=${group.name} group=${group} />`)}
  </ul>`;
}
