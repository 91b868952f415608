/** Tokens of the cluster's Kubernetes API: create by role, show once, revoke. */
import { html, useState } from "../../vendor/preact.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { makeToken, revokeToken } from "./terminal_actions.js";
import { formatRealTime } from "./real_time.js";

const roles = () => [
  ["view", _("view: reads all but Secrets")],
  ["edit", _("edit: writes all but roles and bindings")],
  ["admin", _("admin: everything, including impersonation")],
];

export function MakeToken({ onMade }) {
  const [role, setRole] = useState("edit");
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const make = async (event) => {
    event.preventDefault();
    setBusy(true);
    const answer = await makeToken(role, name.trim());
    setBusy(false);
    if (!answer) return;
    setName("");
    onMade(answer);
  };
  return html`<form class="make-token" onSubmit=${make}>
    <label>
      <span class="quiet">${_("Role")}</span>
      <select value=${role} onChange=${(event) => setRole(event.currentTarget.value)}>
        ${roles().map(([id, label]) => html`<option key=${id} value=${id}>${label}</option>`)}
      </select>
    </label>
    <label>
      <span class="quiet">${_("Name")}</span>
      <input type="text" maxlength="60" autocomplete="off" value=${name}
        onInput=${(event) => setName(event.currentTarget.value)}
      />
    </label>
    <button type="submit" class="btn" disabled=${busy}>${_("Create a token")}</button>
  </form>`;
}

function Token({ token, isFresh, onRevoked }) {
  const used = token.used
    ? fill(_("used {when} by {client}"), { when: formatRealTime(token.used), client: token.client || "?" })
    : _("not used yet");
  return html`<li data-token=${token.id} class=${isFresh ? "fresh" : ""}>
    <div class="grow">
      <p><b>${token.name || token.role}</b> <span class="quiet">${token.role}</span></p>
      <p class="quiet">${fill(_("created {when}"), { when: formatRealTime(token.created) })} · ${used}</p>
    </div>
    <button type="button" class="btn small" onClick=${() => revokeToken(token, onRevoked)}
      aria-label=${fill(_("Revoke {name}"), { name: token.name || token.role })}
    >${_("Revoke")}</button>
  </li>`;
}

export function Tokens({ tokens, fresh, onMade, onRevoked }) {
  return html`<details class="tokens" open=${Boolean(fresh) || undefined}>
    <summary><span class="caps">${_("Tokens")}</span> <span
      class="quiet num">${formatNumber(tokens.length)}</span></summary>
    <p class="quiet">
      ${_(
        "A token gives a program access to this cluster, limited by its role. Tokens are shown once, " +
          "when you create them.",
      )}
    </p>
    ${
      tokens.length > 0 &&
      html`<ul>
        ${tokens.map(
          (token) => html`<${Token} key=${token.id} token=${token} isFresh=${fresh?.token.id === token.id}
            onRevoked=${onRevoked}
          />`,
        )}
      </ul>`
    }
    <${MakeToken} onMade=${onMade} />
  </details>`;
}
