/** The dialog that advances virtual time, so that pods that wait for time alone continue. */
import { html, useState } from "../../vendor/preact.js";
import { advanceClock } from "./run.js";
import { formatDuration } from "../base/format.js";
import { _ } from "../base/i18n.js";
import { Dialog } from "../parts/dialog.js";
import { closeDialog } from "../base/screen.js";

// The shortest and the longest backoff, a minute, and the time until unschedulable pods are retried.
const USUAL = [1, 10, 60, 330];
const MOST = 86400;

export function TimeDialog() {
  const [seconds, setSeconds] = useState("10");
  const value = Number(seconds);
  const isValid = seconds.trim() !== "" && value > 0 && value <= MOST;
  const pass = (event) => {
    event.preventDefault();
    if (!isValid) return;
    closeDialog();
    advanceClock(value);
  };
  const foot = html`
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="submit" form="time" class="btn primary" disabled=${!isValid}>${_("Let time pass")}</button>
  `;
  return html`<${Dialog} title=${_("Let time pass")} foot=${foot}>
    <p>
      ${_(
        "The cluster's clock advances at once. Backoffs end, and a Pod that was unschedulable for more " +
          "than five minutes is tried again.",
      )}
    </p>
    <form id="time" class="row wrap" onSubmit=${pass}>
      <label class="row">
        <input type="number" class="num" min="0.001" max=${MOST} step="any" required value=${seconds}
          onInput=${(event) => setSeconds(event.currentTarget.value)}
        /> ${_("seconds")}
      </label>
      ${USUAL.map(
        (usual) => html`<button type="button" class="btn small" key=${usual} aria-pressed=${value === usual}
          onClick=${() => setSeconds(String(usual))}
        >${formatDuration(usual)}</button>`,
      )}
    </form>
  <//>`;
}
