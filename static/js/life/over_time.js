/** The views over time above the transport: controllers' steps if there are any, and charts on request. */
import "./over_time_styles.js";
import { html, useEffect } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { lazy } from "../parts/lazy.js";
import { Lanes } from "./component_lanes.js";
import { refreshSteps } from "./controller_steps.js";

const Charts = lazy(() => import("./charts.js").then((module) => module.Charts));

function ChartsSwitch() {
  const open = preferences.charts.value;
  return html`<button type="button" class="btn small" aria-expanded=${open} data-charts-switch
    onClick=${() => (preferences.charts.value = !open)}
  >${_("Charts")}</button>`;
}

export function Life() {
  const cluster = store.cluster.value;
  const hasControllers = cluster.actors.length > 0;
  useEffect(() => {
    if (hasControllers) refreshSteps();
  }, [cluster.id, cluster.revision, hasControllers]);
  return html`<section class="over-time" aria-label=${_("Over time")}>
    ${preferences.charts.value && html`<${Charts} closable=${!hasControllers} />`}
    ${hasControllers && html`<${Lanes}><${ChartsSwitch} /><//>`}
  </section>`;
}
