/** The profile: form and YAML in sync, effective configuration, versions; problems by path, and the live re-run. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { tryDraft } from "./live_rerun.js";
import { applyProfile, edited, loadForm, profile, revertProfile, typeProfile, undoEdit } from "./profile_actions.js";
import { mayEdit } from "../access/allowed.js";
import { problemText } from "../base/api.js";
import { isComposing } from "../base/input_method.js";
import { _, ngettext, fill } from "../base/i18n.js";
import { store } from "../base/store.js";
import { Editor } from "../parts/editor.js";
import { icon } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";
import { LegacyNotice, kindText } from "./legacy_notice.js";
import { RerunResult } from "./rerun_result.js";
import { Effective } from "./effective_configuration.js";
import { Form } from "./profile_form.js";
import { Gates } from "./feature_gates.js";
import { Versions } from "./profile_versions.js";
import { useKeydown } from "../parts/use_keydown.js";
import { useFrame } from "../cycle/panel_frames.js";

const MOST_NOTE = 500;

const views = () => [
  ["form", _("Form")],
  ["yaml", "YAML"],
  ["effective", _("effective"), _("all enabled plugins in order, with their source")],
  ["versions", _("versions")],
  ["gates", _("gates"), _("feature gates and their effects here")],
];

function Verdict({ check, version, isEdited }) {
  if (!check) return html`<p class="quiet">${_("Not checked yet.")}</p>`;
  if (!check.ok && check.past)
    return html`<p class="is-waiting">
      ${icon("waiting")} <b>${kindText(check.past.what)}</b> <span class="quiet">
        ${fill(_("version {n}, the last valid one, stays in use"), { n: version })}
      </span>
    </p>`;
  if (!check.ok) {
    const text = ngettext("{n} problem", "{n} problems", check.problems.length);
    return html`<p class="is-rejected">
      ${icon("rejected")} <b>${text}</b> <span class="quiet">
        ${fill(_("version {n}, the last valid one, stays in use"), { n: version })}
      </span>
    </p>`;
  }
  return html`<p class="is-pass">
    ${icon("pass")} <b>${_("valid")}</b> <span class="quiet">
      ${isEdited ? _("not applied yet") : fill(_("version {n} is in use"), { n: version })}
    </span>
  </p>`;
}

/** `tone`: rejected for problems that prevent applying; waiting for valid text that may be unintended. */
function Problems({ problems, onGo, label = _("Problems"), tone = "rejected" }) {
  if (!problems.length) return null;
  return html`<ul class="problems scroll" tabindex="0" aria-label=${label}>
    ${problems.map(
      (problem, index) => html`<li key=${index}>
        ${icon(tone, `is-${tone}`)}
        ${
          problem.line
            ? html`<button type="button" class="link" onClick=${() => onGo(problem.line)}>${problem.text}</button>`
            : html`<span>${problem.text}</span>`
        }
      </li>`,
    )}
  </ul>`;
}

/** The foot of the editor: check result, undo, revert, apply with a note. */
function Foot({ check, version }) {
  const isEdited = edited.value;
  const blocked = !isEdited || check?.ok === false || Boolean(store.busy.value);
  return html`<div class="profile-foot">
    <div class="row">
      <div class="profile-verdict grow" role="status">
        <${Verdict} check=${check} version=${version} isEdited=${isEdited} />
      </div>
      <button type="button" class="btn small" disabled=${!profile.past.value.length}
        title=${_("Undo the last edit by form")} onClick=${undoEdit}
      >${_("Undo edit")}</button>
      <button type="button" class="btn small" disabled=${!isEdited} title=${_("Back to the profile in use")}
        onClick=${revertProfile}
      >${_("Revert")}</button>
    </div>
    <div class="row">
      <input type="text" class="grow" maxlength=${MOST_NOTE} disabled=${!isEdited}
        aria-label=${_("Why: a note for this version")} placeholder=${_("Why? A note for this version")}
        value=${profile.note.value} onInput=${(event) => (profile.note.value = event.currentTarget.value)}
      />
      <button type="button" class="btn primary" disabled=${blocked} title="Ctrl+Enter" onClick=${applyProfile}>
        ${_("Apply")}
      </button>
    </div>
  </div>`;
}

/** Try the draft again when another cycle shows. */
function useCycleInView() {
  const number = useFrame()?.record.cycle.number;
  useEffect(() => {
    if (edited.peek()) tryDraft(profile.draft.peek());
  }, [number]);
}

function useLarge() {
  const large = profile.large.value;
  useKeydown(
    (event) => {
      if (event.key !== "Escape" || isComposing(event) || event.defaultPrevented || store.dialog.peek()) return;
      event.preventDefault();
      profile.large.value = false;
    },
    [],
    large,
  );
  useEffect(() => () => (profile.large.value = false), []);
  return large;
}

/** Keep the edited field visible when the parts below the form grow. */
function useVisibleField() {
  const under = useRef(null);
  useEffect(() => {
    if (!under.current) return undefined;
    const watcher = new ResizeObserver(() => {
      const edited = document.activeElement;
      if (edited?.closest(".profile-body") && !edited.closest(".cm-editor"))
        edited.scrollIntoView({ block: "nearest" });
    });
    watcher.observe(under.current);
    return () => watcher.disconnect();
  }, [under.current]);
  return under;
}

export function Profile() {
  const [goTo, setGoTo] = useState(null);
  const large = useLarge();
  const under = useVisibleField();
  useCycleInView();
  useEffect(() => {
    loadForm();
  }, [store.cluster.value?.id]);
  const config = profile.config.value;
  const draft = profile.draft.value;
  const check = profile.check.value;
  // Without edit permission, only the effective configuration shows.
  const view = mayEdit.value ? profile.view.value : "effective";
  const [problems, warnings] = useMemo(
    () =>
      [check?.problems, check?.warnings].map((list) =>
        (list ?? []).map((problem) => ({ ...problem, text: problemText(problem) })),
      ),
    [check],
  );
  // A formerly valid configuration shows its meaning instead of all its problems.
  const past = check?.ok === false && check.past;
  if (!config || draft === null) return html`<p class="quiet empty">${_("Loading the profile")}</p>`;
  const goToLine = (line) => {
    profile.view.value = large && view === "form" ? "form" : "yaml";
    setGoTo({ line });
  };
  const showsText = view === "yaml" || (large && view === "form");
  return html`<div class=${`profile ${large ? "large" : ""} view-${view}`}>
    ${
      mayEdit.value &&
      html`<div class="row wrap profile-head">
        <${Segments} label=${_("Profile as")} value=${view} onPick=${(next) => (profile.view.value = next)}
          options=${views()}
        />
        <span class="grow" />
        <button type="button" class="btn small wide-only" aria-pressed=${large}
          title=${_("Form and text side by side")} onClick=${() => (profile.large.value = !large)}
        >${large ? _("Smaller") : _("Larger")}</button>
      </div>`
    }
    <div class="profile-body">
      ${view === "form" && html`<${Form} problems=${problems} onGo=${goToLine} />`}
      ${
        showsText &&
        html`<${Editor} label=${_("Profile as YAML")} value=${draft} revision=${profile.revision.value}
          problems=${problems} goTo=${goTo} onChange=${typeProfile} onSubmit=${applyProfile}
        />`
      }
      ${view === "effective" && html`<${Effective} />`}
      ${view === "versions" && html`<${Versions} />`}
      ${view === "gates" && html`<${Gates} />`}
    </div>
    ${
      mayEdit.value &&
      view !== "gates" &&
      html`<div class="profile-under" ref=${under}>
        ${past ? html`<${LegacyNotice} past=${past} onGo=${({ line }) => goToLine(line)} />` : html`<${RerunResult} />`}
        ${!past && html`<${Problems} problems=${problems} onGo=${goToLine} />`}
        <${Problems} problems=${warnings} onGo=${goToLine} label=${_("Hints")} tone="waiting" />
        <${Foot} check=${check} version=${config.version} />
      </div>`
    }
  </div>`;
}
