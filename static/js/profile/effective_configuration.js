/** The effective configuration by extension point, each entry, argument and setting with its origin. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { compareWith, profile } from "./profile_actions.js";
import { mayEdit } from "../access/allowed.js";
import { _, fill } from "../base/i18n.js";
import { Segments } from "../parts/segments.js";
import { Changes } from "./configuration_changes.js";
import { originText } from "./entry_origin.js";

const formatValue = (value) =>
  value === null || value === undefined ? _("none") : typeof value === "object" ? JSON.stringify(value) : String(value);
const OriginTag = ({ origin }) =>
  html`<span class=${`origin ${origin === "default" ? "" : "set"}`}>${originText({ origin })}</span>`;

function Entries({ enabled, disabled }) {
  return html`<ol>
    ${enabled.map(
      ({ plugin, weight, defaultWeight, origin }) => html`<li key=${plugin}>
        <span class="mono cut">${plugin}${weight !== undefined && html` <b>×${weight}</b>`}</span>
        ${
          weight !== undefined &&
          weight !== defaultWeight &&
          html`<span class="quiet small">${fill(_("default ×{n}"), { n: defaultWeight })}</span>`
        }
        <${OriginTag} origin=${origin} />
      </li>`,
    )}
    ${disabled.map(
      ({ plugin, by, at }) => html`<li key=${`off ${plugin}`} class="off">
        <s class="mono cut quiet">${plugin}</s>
        <span class="origin">
          ${by === "*" ? fill(_("off by * at {where}"), { where: at }) : fill(_("off at {where}"), { where: at })}
        </span>
      </li>`,
    )}
    ${!enabled.length && !disabled.length && html`<li class="quiet">${_("nothing")}</li>`}
  </ol>`;
}

function Values({ fields }) {
  return html`<dl class="values">
    ${fields.map(
      ({ path, value, default: usual, origin }) => html`<div key=${path}>
        <dt class="mono">${path}</dt>
        <dd>
          <span class="mono">${formatValue(value)}</span> <${OriginTag} origin=${origin} />
          ${
            formatValue(value) !== formatValue(usual) &&
            html` <span class="quiet small">${fill(_("default {value}"), { value: formatValue(usual) })}</span>`
          }
        </dd>
      </div>`,
    )}
  </dl>`;
}

function Profile({ effective }) {
  return html`<section>
    <h3 class="mono">${effective.schedulerName}</h3>
    <dl class="points">
      ${Object.entries(effective.points).map(
        ([point, entries]) => html`<div key=${point} data-effective=${point}>
          <dt class="mono">${point}</dt>
          <dd><${Entries} ...${entries} /></dd>
        </div>`,
      )}
    </dl>
    <h4 class="caps">${_("Arguments")}</h4>
    ${effective.args
      .filter(({ fields }) => fields.length)
      .map(
        ({ plugin, used, fields }) => html`<section key=${plugin} class="args" data-args=${plugin}>
          <h5 class="mono">${plugin}${!used && html` <span class="origin">${_("does not run")}</span>`}</h5>
          <${Values} fields=${fields} />
        </section>`,
      )}
  </section>`;
}

/** The choice of the version to compare with. */
function Against({ versions }) {
  const pick = (event) => compareWith(Number(event.currentTarget.value));
  return html`<label class="row against">
    <span class="quiet">${_("compared with")}</span>
    <select value=${profile.against.value} onChange=${pick}>
      <option value="0">${_("kube-scheduler's defaults")}</option>
      ${versions.map(
        (version) => html`<option key=${version} value=${version}>
          ${
            version === profile.config.value.version
              ? fill(_("version {n}, in use"), { n: version })
              : fill(_("version {n}"), { n: version })
          }
        </option>`,
      )}
    </select>
  </label>`;
}

export function Effective() {
  const [part, setPart] = useState("runs");
  const sound = profile.sound.value;
  const stale = profile.check.value?.ok === false;
  useEffect(() => {
    if (mayEdit.peek() && !sound?.changes) compareWith(profile.against.peek());
  }, [sound]);
  if (!sound?.origins) return html`<p class="quiet">${_("The effective view needs a valid profile.")}</p>`;
  const settings = sound.origins.settings;
  const newest = profile.config.value.version;
  return html`<div class="effective">
    ${
      mayEdit.value &&
      html`<div class="row wrap">
        <${Segments} label=${_("Show")} value=${part} onPick=${setPart}
          options=${[["runs", _("enabled plugins")], ["changes", _("differences")]]}
        />
        ${
          part === "changes" &&
          html`<${Against}
            versions=${Array.from({ length: Math.min(newest, 100) }, (_value, index) => newest - index)}
          />`
        }
      </div>`
    }
    ${
      stale &&
      html`<p class="is-rejected small">${_("This is the last valid draft; the one in the editor has problems.")}</p>`
    }
    <div class="scroll effective-body" tabindex="0" role="region" aria-label=${_("Effective profile")}>
      ${part === "changes" && html`<${Changes} changes=${sound.changes} />`}
      ${
        part === "runs" &&
        html`
          ${sound.origins.profiles.map(
            (effective) => html`<${Profile} key=${effective.schedulerName}
            effective=${effective} />`,
          )}
          <section><h4 class="caps">${_("Settings")}</h4><${Values} fields=${settings} /></section>
        `
      }
    </div>
  </div>`;
}
