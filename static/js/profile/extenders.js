/** Extenders: webhooks that filter, score, preempt or bind. */
import { html } from "../../vendor/preact.js";
import { editByForm } from "./profile_actions.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { problemsAt } from "./written_values.js";
import { appendItem, setField, removeItem } from "./yaml_edits.js";
import { Field, Problems } from "./form_field.js";
import { Group } from "./form_group.js";

export function Extenders({ data, form, problems }) {
  const all = Array.isArray(data.extenders) ? data.extenders : [];
  const ownProblems = problemsAt(problems, ["extenders"], true);
  const addExtender = () =>
    editByForm("extender", (text) =>
      appendItem(text, ["extenders"], { urlPrefix: "http://127.0.0.1:8888/scheduler", filterVerb: "filter" }),
    );
  return html`<${Group} name="extenders" title=${_("Extenders")}
    about=${all.length ? ngettext("{n} webhook", "{n} webhooks", all.length) : _("none")} problems=${ownProblems}
  >
    ${all.map(
      (extender, place) => html`<fieldset key=${place} class="extender">
        <legend>${fill(_("Extender {n}"), { n: place + 1 })}</legend>
        ${form.extender.map(
          (field) => html`<${Field} key=${field.name} field=${field} path=${["extenders", place, field.name]}
            value=${extender?.[field.name]} problems=${problems}
            onSet=${(path, value) => editByForm(path.join("."), (text) => setField(text, path, value, 2))}
          />`,
        )}
        <button type="button" class="btn small"
          onClick=${() => editByForm("extender", (text) => removeItem(text, ["extenders", place]))}
        >${fill(_("Remove extender {n}"), { n: place + 1 })}</button>
      </fieldset>`,
    )}
    <${Problems} problems=${problemsAt(problems, ["extenders"])} />
    <button type="button" class="btn small" onClick=${addExtender}>${_("Add an extender")}</button>
    <p class="help">${_("Only addresses that the operator of this playground allows are called.")}</p>
  <//>`;
}
