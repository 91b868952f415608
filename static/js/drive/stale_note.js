/** A note that a verdict is older than a change, with a button that runs the pod again. */
import { html } from "../../vendor/preact.js";
import { mayEdit } from "../access/allowed.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { staleText } from "../cycle/stale_verdicts.js";
import { icon } from "../parts/icon.js";

const runAgain = () => loadWithMessages(() => import("./run_again.js")).then((again) => again.runAgain(), reportError);

/** `change`: the newer change, or null. */
export function StaleNote({ change }) {
  if (!change) return null;
  return html`<p class="stale-note row wrap" data-stale=${change.number}>
    ${icon("waiting", "is-waiting")} <span class="grow">${staleText(change)}</span>
    ${
      mayEdit.value &&
      html`<button type="button" class="btn small" onClick=${runAgain}>${_("Run it again now")}</button>`
    }
  </p>`;
}
