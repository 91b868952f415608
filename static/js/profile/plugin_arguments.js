/** The arguments of a profile's plugins, as forms generated from their description. */
import { html } from "../../vendor/preact.js";
import { editByForm } from "./profile_actions.js";
import { _, ngettext } from "../base/i18n.js";
import { writtenArgs, problemsAt } from "./written_values.js";
import { setArgument } from "./yaml_edits.js";
import { Field } from "./form_field.js";
import { Group } from "./form_group.js";

function Plugin({ plugin, own, profileIndex, runs, problems }) {
  const written = writtenArgs(own, plugin.name);
  const length = Array.isArray(own.pluginConfig) ? own.pluginConfig.length : 0;
  const path = ["profiles", profileIndex, "pluginConfig", written?.index ?? length, "args"];
  const ownProblems = written ? problemsAt(problems, path, true) : [];
  const names = Object.keys(written?.args ?? {}).filter((name) => name !== "apiVersion" && name !== "kind");
  const about = names.length ? ngettext("{n} set", "{n} set", names.length) : _("defaults");
  const setValue = (full, value) =>
    editByForm(full.join("."), (text) => setArgument(text, profileIndex, plugin.name, full.slice(path.length), value));
  return html`<${Group} name=${`args ${plugin.name}`} title=${plugin.name} mono
    about=${runs ? about : `${about}, ${_("does not run")}`} problems=${ownProblems}
  >
    ${plugin.args.map(
      (field) => html`<${Field} key=${field.name} field=${field} path=${[...path, field.name]}
        value=${written?.args?.[field.name]} problems=${written ? problems : []} onSet=${setValue}
      />`,
    )}
  <//>`;
}

export function Arguments({ own, effective, profileIndex, form, problems }) {
  const running = new Set(
    form.points.flatMap((point) => effective?.points[point].enabled.map(({ plugin }) => plugin) ?? []),
  );
  return html`
    <h3 class="caps">${_("Arguments")}</h3>
    ${form.plugins
      .filter((plugin) => plugin.args)
      .map(
        (plugin) => html`<${Plugin} key=${plugin.name} plugin=${plugin} own=${own} profileIndex=${profileIndex}
          runs=${!effective || running.has(plugin.name)} problems=${problems}
        />`,
      )}
  `;
}
