/**
 * The form of a configuration: profiles, plugins by extension point, arguments, extenders, settings. It edits the
 * draft's YAML.
 */
import { html, useId } from "../../vendor/preact.js";
import { editByForm, parsed, profile } from "./profile_actions.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { problemsAt, profilesOf } from "./written_values.js";
import { guessProfile, guessRemoved, shown, stale } from "./effective_plugins.js";
import { addProfile, removeProfile, setField } from "./yaml_edits.js";
import { Arguments } from "./plugin_arguments.js";
import { Extenders } from "./extenders.js";
import { Field, Problems } from "./form_field.js";
import { Group } from "./form_group.js";
import { Points } from "./plugin_points.js";

/** Return a name that no other profile has. */
function freeName(names, base) {
  if (!names.includes(base)) return base;
  for (let number = 2; ; number += 1) if (!names.includes(`${base}-${number}`)) return `${base}-${number}`;
}

function Profiles({ profiles, profileIndex, problems }) {
  const id = useId();
  const names = profiles.map((each) => String(each?.schedulerName ?? "default-scheduler"));
  const pick = (place) => (profile.at.value = place);
  const addCopy = (copyOf) => {
    const name = freeName(names, copyOf === null ? "new-profile" : `${names[copyOf]}-copy`);
    editByForm("profile", (text) => addProfile(text, name, copyOf), guessProfile(copyOf));
    pick(profiles.length);
  };
  const remove = () => {
    editByForm("profile", (text) => removeProfile(text, profileIndex), guessRemoved(profileIndex));
    pick(Math.max(0, profileIndex - 1));
  };
  const rename = (event) =>
    editByForm(`name ${profileIndex}`, (text) =>
      setField(text, ["profiles", profileIndex, "schedulerName"], event.currentTarget.value),
    );
  return html`<div class="profiles">
    <div class="row wrap">
      <label class="grow" for=${id}>
        <span class="sr">${_("Profile in the form")}</span>
        <select id=${id} class="mono" value=${profileIndex}
          onChange=${(event) => pick(Number(event.currentTarget.value))}>
          ${names.map((name, place) => html`<option key=${place} value=${place}>${name}</option>`)}
        </select>
      </label>
      <button type="button" class="btn small" onClick=${() => addCopy(null)}>${_("Add")}</button>
      <button type="button" class="btn small" onClick=${() => addCopy(profileIndex)}>${_("Copy")}</button>
      <button type="button" class="btn small" disabled=${profiles.length < 2} onClick=${remove}>${_("Remove")}</button>
    </div>
    <label class="field">
      <span>schedulerName</span>
      <input type="text" class="mono" value=${names[profileIndex]} spellcheck=${false} onInput=${rename} />
    </label>
    <${Problems} problems=${problemsAt(problems, ["profiles", profileIndex, "schedulerName"])} />
    ${
      profiles.length > 1 &&
      html`<p class="quiet small">
        ${ngettext(
          "{n} profile; a pod chooses one by its schedulerName.",
          "{n} profiles; a pod chooses one by its schedulerName.",
          profiles.length,
        )}
      </p>`
    }
  </div>`;
}

const PERCENTAGE = "percentageOfNodesToScore";

function Settings({ data, form, problems }) {
  const inUse = form.settings.filter((field) => !field.inert);
  const inert = form.settings.filter((field) => field.inert);
  const field = (each) => html`<${Field} key=${each.name} field=${each} path=${[each.name]} value=${data[each.name]}
    problems=${problems} onSet=${(path, value) => editByForm(path.join("."), (text) => setField(text, path, value))}
  />`;
  return html`
    <${Group} name="settings" title=${_("Settings")} about=${_("for all profiles")}
      problems=${inUse.flatMap(({ name }) => problemsAt(problems, [name], true))}
    >${inUse.map(field)}<//>
    <${Group} name="inert" title=${_("Kept for the export")} about=${_("without effect here")}
      problems=${inert.flatMap(({ name }) => problemsAt(problems, [name], true))}
    >${inert.map(field)}<//>
  `;
}

export function Form({ problems, onGo }) {
  const form = profile.form.value;
  const tree = parsed.value;
  if (!tree) return html`<p class="quiet form">${_("Loading the form")}</p>`;
  if (tree.error) {
    return html`<div class="form empty">
      <p>
        ${fill(_("The text is not valid YAML at line {n}. The form returns when it is valid."), {
          n: tree.error.line,
        })}
      </p>
      <button type="button" class="btn" onClick=${() => onGo(tree.error.line)}>${_("Show the line")}</button>
    </div>`;
  }
  const profiles = profilesOf(tree.data);
  const profileIndex = Math.min(profile.at.value, profiles.length - 1);
  const own = profiles[profileIndex] ?? {};
  // While the user types in the text beside it, the form stays visible and waits.
  const waits = stale.value && profile.large.value;
  const effective = (stale.value && !waits ? null : shown.value?.[profileIndex]) ?? null;
  const percentage = {
    ...form.settings.find(({ name }) => name === PERCENTAGE),
    default: null,
    help: _("For this profile only. If empty, the setting for all profiles applies."),
  };
  return html`<div class="form scroll" tabindex="0" role="region" aria-label=${_("Profile as a form")}>
    <${Profiles} profiles=${profiles} profileIndex=${profileIndex} problems=${problems} />
    <div class="form-plugins" inert=${waits}>
      <${Points} own=${own} effective=${effective} profileIndex=${profileIndex} form=${form} problems=${problems} />
    </div>
    <${Arguments} own=${own} effective=${effective} profileIndex=${profileIndex} form=${form} problems=${problems} />
    <${Group} name="sampling" title=${_("Sampling")} about=${_("for this profile")}
      problems=${problemsAt(problems, ["profiles", profileIndex, PERCENTAGE])}
    >
      <${Field} field=${percentage} path=${["profiles", profileIndex, PERCENTAGE]} value=${own[PERCENTAGE]}
        problems=${problems}
        onSet=${(path, value) => editByForm(path.join("."), (text) => setField(text, path, value, 2))}
      />
    <//>
    <${Extenders} data=${tree.data} form=${form} problems=${problems} />
    <${Settings} data=${tree.data} form=${form} problems=${problems} />
  </div>`;
}
