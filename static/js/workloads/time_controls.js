/** The pace of time: step by step, or live. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { Segments } from "../parts/segments.js";
import { setTime } from "./controller_actions.js";

// Virtual seconds per second.
const speeds = () => [
  [0, _("time jumps")],
  [1, _("1 s a second")],
  [10, _("10 s a second")],
  [60, _("1 min a second")],
  [3600, _("1 h a second")],
];

export function TimeControls({ cluster }) {
  const ways = [
    ["stepped", _("stepped"), _("Pods wait until somebody steps or plays")],
    ["live", _("live"), _("Every change is followed by what the scheduler and the controllers make of it")],
  ];
  return html`<div class="row wrap">
    <${Segments} label=${_("How time goes")} options=${ways} value=${cluster.live ? "live" : "stepped"}
      onPick=${(way) => setTime({ live: way === "live" })}
    />
    <label><span class="sr">${_("Virtual time in a second")}</span>
      <select value=${String(cluster.speed)}
        onChange=${(event) => setTime({ seconds_per_second: Number(event.currentTarget.value) })}
      >${speeds().map(([speed, word]) => html`<option key=${speed} value=${String(speed)}>${word}</option>`)}</select>
    </label>
  </div>`;
}
