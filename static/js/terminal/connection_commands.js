/** Three shell lines that connect kubectl to this cluster, each with a copy button. */
import { html, useState } from "../../vendor/preact.js";
import { clusterPath } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { copyText, copyResultText } from "../share/shares.js";

const fileOf = (id, made) => `playground-${id}${made ? `-${made.token.role}` : ""}.yaml`;

const GET_PODS = "kubectl get pods -A -o wide";

const addressOf = (id) => `${location.origin}${document.body.dataset.api}${clusterPath(id, "kubeconfig")}`;

/** Return the lines for a playground without a login, where the file needs no token. */
const openLines = (id) => [`curl -so ${fileOf(id)} ${addressOf(id)}`, `export KUBECONFIG=$PWD/${fileOf(id)}`, GET_PODS];

const tokenLines = (id, made) => [`export KUBECONFIG=~/Downloads/${fileOf(id, made)}`, GET_PODS];

/** `made`: {token, kubeconfig} of a new token, or null. */
export function Lines({ id, made }) {
  const [copied, setCopied] = useState({ text: "", of: "" });
  const lines = made ? tokenLines(id, made) : openLines(id);
  const copyLines = async (text) => setCopied({ text: copyResultText(await copyText(text)), of: text });
  return html`
    ${made && html`<${Made} id=${id} made=${made} />`}
    <ol class="lines">
      ${lines.map(
        (line) => html`<li key=${line}>
          <code tabindex="0">${line}</code>
          <button type="button" class="btn small" aria-label=${`${_("Copy")}: ${line}`}
            onClick=${() => copyLines(line)}>
            ${copied.of === line ? "✓" : _("Copy")}
          </button>
        </li>`,
      )}
    </ol>
    <div class="row wrap">
      <button type="button" class="btn"
        onClick=${() => copyLines(`${lines.join("\n")}\n`)}>${_("Copy all lines")}</button>
      ${!made && html`<a class="btn" href=${addressOf(id)} download=${fileOf(id)}>${_("Download the kubeconfig")}</a>`}
      <span class="quiet" role="status">${copied.text}</span>
    </div>
  `;
}

/** The kubeconfig with the token, which shows only once. */
function Made({ id, made }) {
  const file = `data:application/yaml;charset=utf-8,${encodeURIComponent(made.kubeconfig)}`;
  return html`<div class="card" data-token-made role="status">
    <p>${_("This kubeconfig contains the token. Save it now: the token is not shown again.")}</p>
    <a class="btn primary" href=${file} download=${fileOf(id, made)}>${_("Download the kubeconfig")}</a>
  </div>`;
}
