/** The exports as menu items. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { openDialog, toggleBeside } from "../base/screen.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { MenuItem } from "../parts/menu.js";
import { copyLink, exportAddress, storyboardAddress } from "./export.js";

export const ExportItems = ({ close }) => html`
  <${MenuItem} href=${exportAddress("config", { format: "yaml", scope: "minimal" })} download onPick=${close}
    hint="yaml"
  >${_("Profile (only differences from the defaults)")}<//>
  <${MenuItem} href=${exportAddress("config", { format: "yaml" })} download onPick=${close} hint="yaml">
    ${_("Profile (complete, as kube-scheduler reads it)")}
  <//>
  <${MenuItem} href=${exportAddress("second-scheduler")} download onPick=${close} hint="yaml">
    ${_("Second scheduler, as a Deployment")}
  <//>
  <${MenuItem} href=${exportAddress("static-pod")} download onPick=${close} hint="yaml">
    ${_("Patch for the control plane's scheduler")}
  <//>
  <hr />
  <${MenuItem} href=${exportAddress("cluster", { format: "yaml", target: "kubectl" })} download onPick=${close}
    hint="yaml"
  >${_("Cluster (for kubectl apply)")}<//>
  <${MenuItem} href=${exportAddress("cluster", { format: "json" })} download onPick=${close} hint="json">
    ${_("Cluster (all fields)")}
  <//>
  <${MenuItem} href=${exportAddress("scenario")} download onPick=${close} hint="json">
    ${_("Scenario (to run again)")}
  <//>
  <${MenuItem} href=${exportAddress("trace")} download onPick=${close} hint="jsonl">
    ${_("Trace (JSON Lines)")}
  <//>
  ${
    store.shown.value &&
    html`<${MenuItem} href=${storyboardAddress()} download onPick=${close} hint="html">
      ${_("Cycle as HTML")}
    <//>`
  }
  <hr />
  <${MenuItem} hint="K" onPick=${() => (preferences.terminal.peek() || toggleBeside("terminal"), close())}>
    ${_("Terminal: kubectl in this cluster")}
  <//>
  <hr />
  <${MenuItem} onPick=${() => (openDialog("share"), close())}>${_("Share a snapshot")}<//>
  <${MenuItem} onPick=${() => (copyLink(), close())}>${_("Copy the link to this view")}<//>
`;
