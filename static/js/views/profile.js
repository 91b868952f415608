/** The profile: YAML with its problems by path as you type, the effective view, apply and export. */
import { html, useMemo, useState } from "../../vendor/preact.js";
import { problemText } from "../api.js";
import { applyProfile, editProfile, profile, revertProfile } from "../actions/profile.js";
import { _, ngettext, fill } from "../i18n.js";
import { store } from "../store.js";
import { Editor } from "./parts/editor.js";
import { icon } from "./parts/icon.js";
import { Segments } from "./parts/segments.js";

/** What runs at each extension point, in order, defaults filled in: {schedulerName: {point: [plugin | [plugin, weight]]}}. */
function Effective({ profiles }) {
  return html`<div class="effective scroll" tabindex="0" role="region" aria-label=${_("Effective profile")}>
    ${Object.entries(profiles).map(([name, points]) => html`<section key=${name}>
      <h3 class="mono">${name}</h3>
      <dl>${Object.entries(points).map(([point, plugins]) => html`<div key=${point} data-effective=${point}>
        <dt class="mono">${point}</dt>
        <dd>${plugins.length ? html`<ol>${plugins.map((entry) => {
          const [plugin, weight] = Array.isArray(entry) ? entry : [entry, null];
          return html`<li key=${plugin} class="mono">${plugin}${weight !== null && html` <b>×${weight}</b>`}</li>`;
        })}</ol>` : html`<span class="quiet">${_("nothing")}</span>`}</dd>
      </div>`)}</dl>
    </section>`)}
  </div>`;
}

function Verdict({ check, version, edited }) {
  if (!check) return html`<p class="quiet">${_("Not checked yet.")}</p>`;
  if (!check.ok) {
    const text = ngettext("{n} problem", "{n} problems", check.problems.length);
    return html`<p class="is-rejected">${icon("rejected")} <b>${text}</b> <span class="quiet">${fill(_("version {n}, the last valid one, stays in use"), { n: version })}</span></p>`;
  }
  return html`<p class="is-pass">${icon("pass")} <b>${_("valid")}</b> <span class="quiet">${edited ? _("not applied yet") : fill(_("version {n} is in use"), { n: version })}</span></p>`;
}

export function Profile() {
  const [view, setView] = useState("yaml");
  const [goTo, setGoTo] = useState(null);
  const config = profile.config.value;
  const draft = profile.draft.value;
  const check = profile.check.value;
  const problems = useMemo(() => (check?.problems ?? []).map((problem) => ({ line: problem.line, text: problemText(problem) })), [check]);
  if (!config || draft === null) return html`<p class="quiet empty">${_("Reading the profile")}</p>`;
  const edited = draft !== config.yaml;
  const download = `${document.body.dataset.api}clusters/${store.cluster.value.id}/export/config/?format=yaml`;
  return html`<div class="profile">
    <div class="row">
      <${Segments} label=${_("Profile as")} value=${view} onPick=${setView} options=${[["yaml", "YAML"], ["effective", _("effective"), _("every plugin that runs, in order, defaults filled in")]]} />
      <span class="grow" />
      <a class="btn small" href=${download} download>${_("Export")}</a>
    </div>
    ${view === "yaml" && html`<${Editor} label=${_("Profile as YAML")} value=${draft} revision=${profile.revision.value} problems=${problems} goTo=${goTo} onChange=${editProfile} onSubmit=${applyProfile} />`}
    ${view === "effective" && (check?.effective ?? config.effective
      ? html`<${Effective} profiles=${check?.effective ?? config.effective} />`
      : html`<p class="quiet">${_("The effective view needs a valid profile.")}</p>`)}
    <div class="profile-verdict" role="status"><${Verdict} check=${check} version=${config.version} edited=${edited} /></div>
    ${problems.length > 0 && html`<ul class="problems">${problems.map(
      (problem, index) => html`<li key=${index}>${icon("rejected", "is-rejected")}
        ${problem.line ? html`<button type="button" class="link" onClick=${() => (setView("yaml"), setGoTo({ line: problem.line }))}>${problem.text}</button>` : html`<span>${problem.text}</span>`}</li>`,
    )}</ul>`}
    <div class="row">
      <button type="button" class="btn primary" disabled=${!edited || check?.ok === false || Boolean(store.busy.value)} onClick=${applyProfile}>${_("Apply")}</button>
      <kbd>Ctrl+Enter</kbd>
      <span class="grow" />
      <button type="button" class="btn" disabled=${!edited} onClick=${revertProfile}>${_("Revert")}</button>
    </div>
  </div>`;
}
