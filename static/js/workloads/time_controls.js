/** The pace of time: step by step, or live. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { Segments } from "../parts/segments.js";
import { setTime } from "./controller_actions.js";

// Virtual seconds per second.
const speeds = () => [
  [0, _("no waiting")],
  [1, _("1 s/s")],
  [10, _("10 s/s")],
  [60, _("1 min/s")],
  [3600, _("1 h/s")],
];

export function TimeControls({ cluster }) {
  const ways = [
    ["stepped", _("step by step"), _("Pods stay pending until someone steps or plays")],
    ["live", _("continuous"), _("The scheduler and the controllers react to every change at once")],
  ];
  return html`<div class="row wrap">
    <${Segments} label=${_("Time mode")} options=${ways} value=${cluster.live ? "live" : "stepped"}
      onPick=${(way) => setTime({ live: way === "live" })}
    />
    <label><span class="sr">${_("Simulation speed")}</span>
      <select value=${String(cluster.speed)}
        onChange=${(event) => setTime({ seconds_per_second: Number(event.currentTarget.value) })}
      >${speeds().map(([speed, word]) => html`<option key=${speed} value=${String(speed)}>${word}</option>`)}</select>
    </label>
  </div>`;
}
