/** An answer that the server computes: pending, failed or complete. */
import { html } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";

/** `answer`: a signal of explain/cached_answers.js; `children`: function of the value. */
export function Answer({ answer, children }) {
  const { state, value, error, retry } = answer.value;
  if (state === "there") return children(value);
  if (state === "asking") return html`<p class="quiet working" role="status">${_("Calculating…")}</p>`;
  return html`<div class="card" role="alert">
    <p>${error.message}</p>
    <p><button type="button" class="btn small" onClick=${retry}>${_("Run again")}</button></p>
  </div>`;
}
