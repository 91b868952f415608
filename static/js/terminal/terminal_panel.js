/** The kubectl panel: connection commands, pace of time, clients' writes, and tokens. */
import { html, signal, useEffect } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { reportError } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { loadStyleSheet } from "../parts/style_sheet.js";
import { TimeControls } from "../workloads/time_controls.js";
import { startControllers } from "../workloads/controller_actions.js";
import { needsToken } from "./terminal_actions.js";
import { Lines } from "./connection_commands.js";
import { MakeToken, Tokens } from "./tokens.js";
import { Writes } from "./client_writes.js";

await loadStyleSheet(new URL("./terminal.css", import.meta.url));

const REST = 300; // ms between two requests during fast changes

const known = signal(null); // {id, writes, tokens}
const newToken = signal(null); // {id, token, kubeconfig}: shown once, while the page is open

const refreshTerminal = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (id === undefined) return;
  try {
    const [{ writes }, tokens] = await Promise.all([get(clusterPath(id, "clients")), get(clusterPath(id, "tokens"))]);
    known.value = { id, writes, tokens };
  } catch (error) {
    reportError(error);
  }
}, REST);

function Pace({ cluster }) {
  return html`<section aria-labelledby="terminal-time">
    <h3 class="caps" id="terminal-time">${_("Time")}</h3>
    <${TimeControls} cluster=${cluster} />
    <p class="quiet">
      ${
        cluster.live
          ? _("The scheduler places new Pods at once, so kubectl wait returns.")
          : _("New Pods stay Pending, and kubectl wait does not return, until you step or play here.")
      }
    </p>
    ${
      !cluster.actors.length &&
      html`<p class="quiet">
        ${_("Controllers are off, so a Deployment creates no Pods.")}${" "}
        <button type="button" class="link" onClick=${startControllers}>${_("Start controllers")}</button>
      </p>`
    }
  </section>`;
}

function Connect({ cluster, fresh, onMade }) {
  return html`<section aria-labelledby="terminal-connect">
    <h3 class="caps" id="terminal-connect">${_("Paste into a terminal")}</h3>
    ${
      needsToken() && !fresh
        ? html`
            <p class="quiet">${whyToken()}</p>
            <${MakeToken} onMade=${onMade} />
          `
        : html`<${Lines} id=${cluster.id} made=${fresh} />`
    }
  </section>`;
}

const whyToken = () => _("kubectl needs a token. Create one to download a kubeconfig.");

export function Terminal() {
  const cluster = store.cluster.value;
  // The server's state has new `lanes` objects; a folded record keeps the old ones.
  useEffect(refreshTerminal, [cluster.id, cluster.lanes, cluster.can_undo?.number, cluster.can_redo?.number]);
  const here = known.value?.id === cluster.id ? known.value : null;
  const fresh = newToken.value?.id === cluster.id ? newToken.value : null;
  const onMade = (answer) => {
    newToken.value = { id: cluster.id, ...answer };
    refreshTerminal();
  };
  const onRevoked = (number) => {
    if (newToken.peek()?.token.id === number) newToken.value = null;
    refreshTerminal();
  };
  return html`<section class="panel terminal" aria-labelledby="terminal-title">
    <div class="head">
      <h2 id="terminal-title">${_("Terminal")}</h2>
      <span class="about grow cut" title=${_("kubectl, helm and programs in this cluster")}>
        ${_("kubectl, helm and programs in this cluster")}
      </span>
      <button type="button" class="btn bare icon" aria-label=${_("Close the terminal")} title=${_("Close the terminal")}
        onClick=${() => (preferences.terminal.value = false)}
      >${icon("close")}</button>
    </div>
    <div class="terminal-body scroll" tabindex="-1" id="terminal">
      <${Connect} cluster=${cluster} fresh=${fresh} onMade=${onMade} />
      <${Pace} cluster=${cluster} />
      ${here && html`<${Writes} writes=${here.writes} />`}
      ${here && html`<${Tokens} tokens=${here.tokens} fresh=${fresh} onMade=${onMade} onRevoked=${onRevoked} />`}
    </div>
  </section>`;
}
