/** The bar of a node's resource: used, and the share of the cycle's pod. */
import { html } from "../../vendor/preact.js";

export function Track({ bar, alive, title }) {
  const used = Math.min(100, (bar.used / bar.total) * 100);
  const added = alive && bar.added ? Math.min(100 - used, (bar.added / bar.total) * 100) : 0;
  return html`<span class="bar" title=${title}>
    <i style=${{ width: `${used}%` }} />
    ${added > 0 && html`<i class="add" style=${{ left: `${used}%`, width: `${added}%` }} />`}
  </span>`;
}
