/** The place of repairs, reserved until their script loads. */
import { html } from "../../vendor/preact.js";
import { lazy } from "../parts/lazy.js";

const PLACEHOLDER = html`<div class="make-it-fit unseen" aria-hidden="true"><p><span class="btn">…</span></p></div>`;

export const Repairs = lazy(() => import("./repairs.js").then((module) => module.Repairs), PLACEHOLDER);
