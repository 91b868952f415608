/** The empty page: three example clusters with pictures, one click each. */
import { html } from "../../vendor/preact.js";
import { _, ngettext } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { createFromExample } from "../clusters/cluster_menu.js";

const TILE = 10;

/** A small picture of the example's size: one square per node, filled bottom-up by its pods. */
function Picture({ nodes, pods }) {
  const columns = Math.min(nodes, 6);
  const rows = Math.ceil(nodes / columns);
  const fill = Math.min(1, pods / (nodes * 5));
  return html`<svg class="picture" viewBox=${`0 0 ${columns * TILE} ${rows * TILE}`} aria-hidden="true">
    ${Array.from({ length: nodes }, (_unused, i) => {
      const x = (i % columns) * TILE;
      const y = Math.floor(i / columns) * TILE;
      // A fixed variation, so that the picture looks like a cluster and not like a chart.
      const height = (TILE - 2) * Math.min(1, fill * (0.6 + ((i * 7) % 5) * 0.2));
      return html`<g key=${i}>
        <rect class="track" x=${x} y=${y} width=${TILE - 2} height=${TILE - 2} />
        <rect class="level" x=${x} y=${y + TILE - 2 - height} width=${TILE - 2} height=${height} />
      </g>`;
    })}
  </svg>`;
}

export function Welcome() {
  const examples = store.examples.value;
  return html`<main class="welcome" id="main">
    <h2>${_("Watch the Kubernetes scheduler decide")}</h2>
    <p class="lead">
      ${_(
        "Start from one of these, or bring your own cluster. You can step through every decision, " +
          "forward and back.",
      )}
    </p>
    <ul class="examples">
      ${(examples ?? []).map(
        (example) => html`<li key=${example.slug}>
          <button type="button" class="example" onClick=${() => createFromExample(example)}>
            <${Picture} ...${example} />
            <b>${_(example.title)}</b>
            <span>${_(example.story)}</span>
            <span class="quiet">
              ${ngettext("{n} node", "{n} nodes", example.nodes)} · ${ngettext("{n} pod", "{n} pods", example.pods)}
            </span>
          </button>
        </li>`,
      )}
    </ul>
    <p class="row wrap">
      <button type="button" class="btn primary" onClick=${() => openDialog("lessons")}>
        ${_("Take a lesson")}
      </button>
      <button type="button" class="btn" onClick=${() => openDialog("import")}>
        ${_("Import nodes and pods")}
      </button>
      <button type="button" class="btn" onClick=${() => openDialog("cluster")}>
        ${_("New empty cluster")}
      </button>
    </p>
  </main>`;
}
