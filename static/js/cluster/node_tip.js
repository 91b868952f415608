/** The tooltip of a node: a few lines beside the pointer. */
import { html } from "../../vendor/preact.js";
import { formatUsage } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { verdictWord } from "../cycle/cycle_texts.js";
import { verdictMark } from "../parts/icon.js";

export function NodeTip({ node, x, y }) {
  const side = y > innerHeight - 180 ? { bottom: `${innerHeight - y + 28}px` } : { top: `${y}px` };
  return html`<div class="tip" aria-hidden="true" style=${{ left: `${x}px`, ...side }}>
    <p class="row"><b class="mono">${node.name}</b></p>
    <p class="row">
      ${verdictMark(node.state)} ${verdictWord(node.state)}
      ${node.total === null ? "" : html` <b class="num">${fill(_("total {n}"), { n: formatNumber(node.total) })}</b>`}
    </p>
    ${node.status && html`<p class="is-rejected">${node.status.plugin}: ${node.reasons.join(", ")}</p>`}
    ${node.bars.map(
      (bar) => html`<p class="mono" key=${bar.resource}>
        ${formatUsage(bar.resource, bar.used, node.alive ? bar.added : 0, bar.total)}
      </p>`,
    )}
    <p class="quiet">${ngettext("{n} pod", "{n} pods", node.pods)}${node.cordoned ? ` · ${_("cordoned")}` : ""}</p>
    ${node.taints.map((taint) => html`<p class="mono quiet cut" key=${taint}>${taint}</p>`)}
  </div>`;
}
