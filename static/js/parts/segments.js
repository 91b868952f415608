/** A switch between a few views of the same thing. */
import { html } from "../../vendor/preact.js";

/** `options`: [[value, label, title?]]. */
export function Segments({ label, options, value, onPick }) {
  return html`<div class="segments" role="group" aria-label=${label}>
    ${options.map(
      ([key, text, title]) =>
        html`<button type="button" aria-pressed=${key === value} title=${title} onClick=${() => onPick(key)}>
          ${text}
        </button>`,
    )}
  </div>`;
}
