/** The differences between two configurations, in words. */
import { html } from "../../vendor/preact.js";
import { _, fill } from "../base/i18n.js";

const formatValue = (value) =>
  value === null || value === undefined ? _("none") : typeof value === "object" ? JSON.stringify(value) : String(value);

const TEXTS = {
  setting: (c) => [`${c.path}`, `${formatValue(c.before)} → ${formatValue(c.after)}`],
  extender: (c) => [c.path, c.before === null ? _("added") : c.after === null ? _("removed") : _("changed")],
  "profile added": (c) => [c.profile, _("profile added")],
  "profile removed": (c) => [c.profile, _("profile removed")],
  "plugin added": (c) => [c.plugin, fill(_("runs at {points}"), { points: c.points.join(", ") })],
  "plugin removed": (c) => [c.plugin, fill(_("no longer runs at {points}"), { points: c.points.join(", ") })],
  "plugin moved": (c) => [c.plugin, fill(_("position {before} → {after} at {point}"), c)],
  weight: (c) => [c.plugin, `×${c.before} → ×${c.after}`],
  argument: (c) => [`${c.plugin}${c.path ? `.${c.path}` : ""}`, `${formatValue(c.before)} → ${formatValue(c.after)}`],
};
const SIGNS = {
  "plugin added": "+",
  "profile added": "+",
  "plugin removed": "−",
  "profile removed": "−",
  "plugin moved": "↕",
};

export function Changes({ changes }) {
  if (!changes) return null;
  if (!changes.length) return html`<p class="quiet">${_("The effective profile does not change.")}</p>`;
  const profiles = new Set(changes.map(({ profile }) => profile).filter(Boolean));
  return html`<ul class="changes">
    ${changes.map((change, index) => {
      const [subject, difference] = TEXTS[change.change](change);
      return html`<li key=${index} data-change=${change.change}>
        <b class="sign">${SIGNS[change.change] ?? "~"}</b>
        <span>
          <span class="mono">${subject}</span> ${difference}
          ${
            profiles.size > 1 && change.profile && subject !== change.profile
              ? html` <span class="quiet">(${change.profile})</span>`
              : null
          }
        </span>
      </li>`;
    })}
  </ul>`;
}
