/** The presenter's page: the pipeline first and large, one more view below, and the text about the moment beside it. */
import { html } from "../../vendor/preact.js";
import { _, fill } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";
import { Cluster } from "../cluster/cluster.js";
import { Logo } from "./header.js";
import { Matrix } from "../matrix/matrix.js";
import { Segments } from "../parts/segments.js";
import { Pipeline } from "../pipeline/pipeline.js";
import { Queues } from "../queues/queues.js";
import { Side } from "./side_panel.js";

const VIEWS = { cluster: Cluster, matrix: Matrix, queues: Queues };
const listViews = () => [
  ["cluster", _("Cluster")],
  ["matrix", _("Matrix")],
  ["queues", _("Queues")],
];

const endPresentation = () => (preferences.presenting.value = false);

/** The header for an audience: the moment, and the way back. */
export function PresenterHeader() {
  const { name, emulates } = store.cluster.value;
  return html`<header class="top presenter-top">
    <${Logo} />
    <b class="cut">${name}</b>
    <span class="fact quiet">${fill(_("emulates {version}"), { version: emulates })}</span>
    <span class="grow" />
    <button type="button" class="btn" onClick=${endPresentation}>${_("End the presentation")}</button>
  </header>`;
}

/** `beside`: [id, title, view] of a lesson or the class questions; null for none. */
export function Presenter({ beside }) {
  const open = VIEWS[store.panel.value] ? store.panel.value : "cluster";
  return html`<main class=${`work presenter ${beside ? "with-beside" : ""}`} id="main">
    ${beside && html`<div class="presenter-beside"><${beside[2]} /></div>`}
    <div class="presenter-pipeline"><${Pipeline} /></div>
    <div class="presenter-view">
      <${Segments} label=${_("View")} value=${open} onPick=${showPanel} options=${listViews()} />
      <div class="presenter-panel"><${VIEWS[open]} /></div>
    </div>
    <div class="presenter-side"><${Side} /></div>
  </main>`;
}
