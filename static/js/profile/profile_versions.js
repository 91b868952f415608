/** The versions of the profile: their authors, times and notes. Users compare, restore and fork them. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { forkWithVersion, profile, restoreVersion, takeAsDraft } from "./profile_actions.js";
import { get, clusterPath, post } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { store } from "../base/store.js";
import { Segments } from "../parts/segments.js";
import { Changes } from "./configuration_changes.js";
import { Merge } from "./text_difference.js";

const formatTime = (created) =>
  created
    ? new Date(created).toLocaleString(document.documentElement.lang || "en", {
        dateStyle: "medium",
        timeStyle: "short",
      })
    : "";

/** One version beside the draft, another version, or kube-scheduler's default. */
function Difference({ version }) {
  const [other, setOther] = useState(version > 1 ? String(version - 1) : "0");
  const [format, setFormat] = useState("meaning");
  const [difference, setDifference] = useState(null);
  const id = store.cluster.value.id;
  const draft = profile.draft.value;
  useEffect(() => {
    let isUnmounted = false;
    const load = async () => {
      const after = await get(clusterPath(id, "config", "versions", version));
      if (other === "draft") {
        const { ok, changes } = await post(clusterPath(id, "config", "check"), { yaml: draft, against: version });
        return { before: after.yaml, after: draft, changes: ok ? changes : null };
      }
      const [before, { changes }] = await Promise.all([
        get(clusterPath(id, "config", "versions", other)),
        post(clusterPath(id, "config", "check"), { yaml: after.yaml, against: Number(other) }),
      ]);
      return { before: before.yaml, after: after.yaml, changes };
    };
    load().then((result) => isUnmounted || setDifference(result), reportError);
    return () => (isUnmounted = true);
  }, [version, other, other === "draft" ? draft : ""]);
  const newest = profile.config.value.version;
  const numbers = Array.from({ length: Math.min(newest, 100) }, (_value, index) => newest - index).filter(
    (number) => number !== version,
  );
  return html`<div class="difference">
    <div class="row wrap">
      <label class="row">
        <span class="quiet">${_("from")}</span>
        <select aria-label=${_("Compared with")} value=${other}
          onChange=${(event) => setOther(event.currentTarget.value)}
        >
          <option value="0">${_("kube-scheduler's defaults")}</option>
          ${numbers.map(
            (number) => html`<option key=${number} value=${String(number)}>
              ${fill(_("version {n}"), { n: number })}
            </option>`,
          )}
          <option value="draft">${_("the draft")}</option>
        </select>
      </label>
      <span class="grow" />
      <${Segments} label=${_("Difference as")} value=${format} onPick=${setFormat}
        options=${[["meaning", _("meaning")], ["text", _("text")]]}
      />
    </div>
    ${
      difference &&
      format === "meaning" &&
      (difference.changes
        ? html`<${Changes} changes=${difference.changes} />`
        : html`<p class="quiet">${_("The draft has problems; only its text can be compared.")}</p>`)
    }
    ${
      difference &&
      format === "text" &&
      html`<${Merge} before=${difference.before} after=${difference.after} label=${_("Differing lines")}
        sideBySide=${profile.large.value}
      />`
    }
  </div>`;
}

function Version({ entry, current, isOpen, onOpen }) {
  const { version, author, created, note } = entry;
  // `emulates` is a release, and after a space its feature gates.
  const gates = entry.emulates.split(" ")[1];
  const editFromHere = async () => {
    try {
      takeAsDraft((await get(clusterPath(store.cluster.peek().id, "config", "versions", version))).yaml);
    } catch (error) {
      reportError(error);
    }
  };
  return html`<li class=${`version ${version === current ? "current" : ""}`} data-version=${version}>
    <div class="row">
      <b>${fill(_("Version {n}"), { n: version })}</b>
      ${version === current && html`<span class="origin set">${_("in use")}</span>`}
      <span class="grow" />
      <span class="quiet small">${formatTime(created)}</span>
    </div>
    <p class="small"><span class="quiet">${author || _("the playground")}</span>${note && html` · <q>${note}</q>`}</p>
    ${gates && html`<p class="small mono" data-version-gates>--feature-gates=${gates}</p>`}
    <div class="row wrap">
      <button type="button" class="btn small" aria-expanded=${isOpen} onClick=${onOpen}>${_("Difference")}</button>
      <button type="button" class="btn small" onClick=${editFromHere}>${_("Edit from here")}</button>
      ${
        version !== current &&
        html`<button type="button" class="btn small" disabled=${Boolean(store.busy.value)}
          onClick=${() => restoreVersion(version)}
        >${_("Restore")}</button>`
      }
      <button type="button" class="btn small" disabled=${Boolean(store.busy.value)}
        onClick=${() => forkWithVersion(version)}
      >${_("Fork")}</button>
    </div>
    ${isOpen && html`<${Difference} version=${version} />`}
  </li>`;
}

export function Versions() {
  const [entries, setEntries] = useState(null);
  const [openVersion, setOpenVersion] = useState(null);
  const id = store.cluster.value.id;
  const current = profile.config.value.version;
  useEffect(() => {
    let isUnmounted = false;
    get(clusterPath(id, "config", "versions")).then(
      (answer) => isUnmounted || setEntries(answer.versions),
      reportError,
    );
    return () => (isUnmounted = true);
  }, [id, current]);
  const loadOlder = async () => {
    try {
      const page = await get(`${clusterPath(id, "config", "versions")}?before=${entries.at(-1).version}`);
      setEntries([...entries, ...page.versions]);
    } catch (error) {
      reportError(error);
    }
  };
  if (!entries) return html`<p class="quiet">${_("Loading the versions")}</p>`;
  return html`<div class="scroll versions-box" tabindex="0" role="region" aria-label=${_("Versions of the profile")}>
    <ol class="versions">
      ${entries.map(
        (entry) => html`<${Version} key=${entry.version} entry=${entry} current=${current}
          isOpen=${openVersion === entry.version}
          onOpen=${() => setOpenVersion(openVersion === entry.version ? null : entry.version)}
        />`,
      )}
    </ol>
    ${
      entries.at(-1)?.version > 1 &&
      html`<button type="button" class="btn small" onClick=${loadOlder}>${_("Older versions")}</button>`
    }
  </div>`;
}
