/** Notices over the page. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { dismiss } from "../base/notices.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";

export function Notices() {
  return html`<div class="notices">
    ${store.notices.value.map(
      ({
        id,
        tone,
        text,
        actions,
      }) => html`<div key=${id} class=${`notice ${tone}`} role=${tone === "error" ? "alert" : "status"}>
        ${icon(tone === "error" ? "error" : "idle", tone === "error" ? "is-error" : "quiet")}
        <div class=${`grow notice-text ${actions.length > 1 ? "with-ways" : ""}`}>
          <p class="grow">${text}</p>
          ${
            actions.length > 0 &&
            html`<span class="row wrap">
              ${actions.map(
                ({ label, run }) => html`<button type="button" class="btn small" key=${label}
                  onClick=${() => (dismiss(id), run())}
                >${label}</button>`,
              )}
            </span>`
          }
        </div>
        <button type="button" class="btn bare icon" aria-label=${_("Close")} onClick=${() => dismiss(id)}>
          ${icon("close")}
        </button>
      </div>`,
    )}
  </div>`;
}
