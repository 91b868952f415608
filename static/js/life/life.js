/** The views over time above the transport: controllers' steps if there are any, and charts on request. */
import "./sheet.js";
import { html, useEffect } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { lazy } from "../parts/lazy.js";
import { Lanes } from "./lanes.js";
import { refreshSteps } from "./steps.js";

const Charts = lazy(() => import("./charts.js").then((module) => module.Charts));

function ChartsSwitch() {
  const open = preferences.charts.value;
  return html`<button type="button" class="btn small" aria-expanded=${open} data-charts-switch
    onClick=${() => (preferences.charts.value = !open)}
  >${_("Charts")}</button>`;
}

export function Life() {
  const cluster = store.cluster.value;
  const lives = cluster.actors.length > 0;
  useEffect(() => {
    if (lives) refreshSteps();
  }, [cluster.id, cluster.revision, lives]);
  return html`<section class="over-time" aria-label=${_("Over time")}>
    ${preferences.charts.value && html`<${Charts} closable=${!lives} />`}
    ${lives && html`<${Lanes}><${ChartsSwitch} /><//>`}
  </section>`;
}
