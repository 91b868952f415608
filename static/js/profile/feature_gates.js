/**
 * Feature gates of the cluster's version: stage, default, effect. Others can be tried, and a switch restarts
 * kube-scheduler, which can be undone.
 */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { confirmChange } from "../branches/branches.js";
import { createCluster } from "../clusters/clusters.js";
import { performCommand } from "../drive/run.js";
import { get, clusterPath, post } from "../base/api.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";

const effectWord = (effect) =>
  ({ changes: _("has an effect here"), notPlayed: _("not emulated here"), nothing: _("has no effect here") })[effect];

function Gate({ gate, on, onSet }) {
  const changed = on !== gate.on;
  return html`<li class=${`gate ${changed ? "edited" : ""}`} data-gate=${gate.name}>
    <label class="row">
      <input type="checkbox" checked=${on} disabled=${gate.locked || gate.effect !== "changes"}
        onChange=${(event) => onSet(event.currentTarget.checked)}
      />
      <span class="mono grow">${gate.name}</span>
      <span class="quiet">
        ${gate.stage} · ${gate.default ? _("on by default") : _("off by default")}
        ${gate.locked ? ` · ${_("locked")}` : ""}
      </span>
    </label>
    <p class="help">
      ${gate.text ? _(gate.text) : ""} ${
        gate.effect !== "changes" || !gate.text ? html`<span class="quiet">${effectWord(gate.effect)}</span>` : ""
      }
      ${
        gate.needs.length > 0 &&
        html` <span class="quiet">${_("needs")} <span class="mono">${gate.needs.join(", ")}</span></span>`
      }
    </p>
  </li>`;
}

/** Create a cluster with the same objects and configuration and these gates, without history. */
async function copyWith(version, gates) {
  const { id, name, seed } = store.cluster.peek();
  try {
    const [{ yaml }, objects] = await Promise.all([
      get(clusterPath(id, "config")),
      get(`${clusterPath(id, "export", "cluster")}?format=json`),
    ]);
    const made = await createCluster({
      name: fill(_("{name} with other gates"), { name }).slice(0, 100),
      seed,
      emulates: version,
      featureGates: gates,
      config: yaml,
    });
    if (objects.items.length) await post(clusterPath(made.id, "import"), { text: JSON.stringify(objects) });
  } catch (error) {
    reportError(error);
  }
}

/** Restart with these gates at the newest moment; recorded cycles stay unchanged. */
async function restartWith(gates, version) {
  if (!(await confirmChange())) return;
  const ended = await performCommand({ kind: "set_gates", gates }, _("Restarting kube-scheduler"));
  if (ended?.state !== "done") return;
  const text = gates ? _("{version} now runs with {gates}.") : _("{version} now runs with its own gates.");
  notify(fill(text, { version, gates }));
}

export function Gates() {
  const cluster = store.cluster.value;
  const [table, setTable] = useState(null);
  const [switched, setSwitched] = useState({});
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(false);
  useEffect(() => {
    setSwitched({});
    get(clusterPath(cluster.id, "gates")).then(setTable, reportError);
  }, [cluster.id, cluster.emulates]);
  if (!table) return html`<p class="quiet">${_("Loading the feature gates")}</p>`;
  if (!table.gates.length)
    return html`<p class="quiet">
      ${fill(_("Feature gates of {version} are not emulated."), { version: table.version })}
    </p>`;
  const switchedGates = table.gates.filter(({ name }) => (switched[name] ?? null) !== null);
  const nonDefaultGates = table.gates.filter((gate) => (switched[gate.name] ?? gate.on) !== gate.default);
  const text = nonDefaultGates.map(({ name, on }) => `${name}=${switched[name] ?? on}`).join(",");
  const listedGates = table.gates.filter(({ name, effect }) =>
    filter ? name.toLowerCase().includes(filter.toLowerCase()) : all || effect === "changes",
  );
  const hidden = table.gates.length - listedGates.length;
  return html`<div class="gates">
    <p class="help">
      ${_(
        "kube-scheduler reads its feature gates when it starts. Switch a gate that has an effect here, " +
          "and see what it would change for your Pods. Then restart kube-scheduler with it, or use it in a " +
          "copy of the cluster. A restart keeps Pods on their nodes and resets attempts and backoffs. You " +
          "can undo it.",
      )}
    </p>
    <input type="search" aria-label=${_("Find a feature gate")} placeholder=${_("Find a feature gate")}
      value=${filter} onInput=${(event) => setFilter(event.currentTarget.value)}
    />
    <ul class="gate-list">
      ${listedGates.map(
        (gate) => html`<${Gate} key=${gate.name} gate=${gate} on=${switched[gate.name] ?? gate.on}
          onSet=${(on) => setSwitched({ ...switched, [gate.name]: on === gate.on ? null : on })}
        />`,
      )}
    </ul>
    ${
      !filter &&
      hidden > 0 &&
      html`<button type="button" class="link" onClick=${() => setAll(true)}>
        ${ngettext("{n} gate without effect here", "{n} gates without effect here", hidden)}
      </button>`
    }
    ${
      switchedGates.length > 0 &&
      html`<div class="row wrap gate-foot" role="status">
        <span class="mono grow">--feature-gates=${text}</span>
        <button type="button" class="btn" data-gates-try
          onClick=${() => openDialog("upgrade", { to: table.version, gates: text })}
        >${_("Show the effect")}</button>
        <button type="button" class="btn" data-gates-copy onClick=${() => copyWith(table.version, text)}>
          ${_("Copy the cluster with these gates")}
        </button>
        <button type="button" class="btn primary" data-gates-switch disabled=${Boolean(store.busy.value)}
          onClick=${() => restartWith(text, table.version)}
        >${_("Restart with these gates")}</button>
      </div>`
    }
  </div>`;
}
