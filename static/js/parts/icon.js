/** Marks and icons, 12 × 12, in the color of the surrounding text. */
import { html } from "../../vendor/preact.js";

const SHAPES = {
  chosen: html`<path class="solid" d="M6 .6 11.4 6 6 11.4.6 6z" />`,
  rejected: html`<path d="m2.5 2.5 7 7m0-7-7 7" />`,
  error: html`<path d="M6 1.5v5.5M6 10.2v.3" />`,
  pass: html`<path d="m2 6.5 2.8 2.8L10 3.2" />`,
  candidate: html`<circle cx="6" cy="6" r="3.6" />`,
  idle: html`<circle class="solid" cx="6" cy="6" r="1.2" />`,
  unseen: html`<path stroke-width="1.2" d="M1.5 6.5 6.5 1.5m-5 9 9-9m-4 9 4-4" />`,
  waiting: html`<circle cx="6" cy="6" r="4.4" /><path class="solid" d="M6 6V1.6A4.4 4.4 0 0 1 10.4 6z" />`,
  skipped: html`<path d="M2.5 6h7" />`,
  play: html`<path class="solid" d="M3 1.4 10.4 6 3 10.6z" />`,
  pause: html`<path class="solid" d="M2.5 1.5h2.6v9H2.5zm4.4 0h2.6v9H6.9z" />`,
  forward: html`<path class="solid" d="M4 1.8 9 6 4 10.2z" />`,
  back: html`<path class="solid" d="M8 1.8 3 6l5 4.2z" />`,
  cycle: html`<path class="solid" d="M2 1.8 7 6l-5 4.2zM8.2 1.6h1.9v8.8H8.2z" />`,
  "cycle-back": html`<path class="solid" d="M10 1.8 5 6l5 4.2zM1.9 1.6h1.9v8.8H1.9z" />`,
  grip: html`<g class="solid">
    <circle cx="4" cy="2.5" r="1" />
    <circle cx="8" cy="2.5" r="1" />
    <circle cx="4" cy="6" r="1" />
    <circle cx="8" cy="6" r="1" />
    <circle cx="4" cy="9.5" r="1" />
    <circle cx="8" cy="9.5" r="1" />
  </g>`,
  reset: html`<path d="M2.3 4.2A4.3 4.3 0 1 1 1.7 6.6M2 1.6v2.8h2.8" />`,
  down: html`<path d="m3 4.6 3 3 3-3" />`,
  right: html`<path d="m4.6 3 3 3-3 3" />`,
  left: html`<path d="m7.4 3-3 3 3 3" />`,
  close: html`<path d="m2.5 2.5 7 7m0-7-7 7" />`,
  find: html`<circle cx="5.2" cy="5.2" r="3.4" /><path d="m7.8 7.8 2.8 2.8" />`,
  branch: html`
    <circle cx="3" cy="2.4" r="1.5" />
    <circle cx="3" cy="9.6" r="1.5" />
    <circle cx="9" cy="4" r="1.5" />
    <path d="M3 4v4m6-2.4c0 2-3 1.6-4.6 2.9" />
  `,
  undo: html`<path d="M4.2 1.8 1.8 4.2l2.4 2.4M2 4.2h5a3 3 0 0 1 0 6H4.4" />`,
  redo: html`<path d="m7.8 1.8 2.4 2.4-2.4 2.4M10 4.2H5a3 3 0 0 0 0 6h2.6" />`,
  break: html`<circle class="solid" cx="6" cy="6" r="4" />`,
  plus: html`<path d="M6 2v8M2 6h8" />`,
  theme: html`<circle cx="6" cy="6" r="4.6" /><path class="solid" d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" />`,
  language: html`
    <circle cx="6" cy="6" r="4.8" />
    <path stroke-width="1.1" d="M1.2 6h9.6M6 1.2C3.2 3.8 3.2 8.2 6 10.8 8.8 8.2 8.8 3.8 6 1.2" />
  `,
  lesson: html`<path
    d="M6 2.8C4.8 1.9 3.2 1.7 1.4 1.8v7.4c1.8-.1 3.4.1 4.6 1 1.2-.9 2.8-1.1 4.6-1V1.8C8.8 1.7 7.2 1.9 6 2.8zv7.4"
  />`,
  paste: html`<path d="M3.6 2.2H2v8.4h8V2.2H8.4M3.8 1.2h4.4v2H3.8zM4 6h4M4 8.2h2.6" />`,
  panel: html`<path d="M1.2 2h9.6v8H1.2zM4.4 2v8" />`,
};

const drawn = {};

// Shared objects, so that unchanged ones are not compared.
/** Return an icon by name. It has no label, so the text beside it (or an aria-label) must say it. */
export const icon = (name, extra = "") =>
  (drawn[name + extra] ??=
    html`<svg class=${`mark ${extra}`} viewBox="0 0 12 12" aria-hidden="true">${SHAPES[name]}</svg>`);

export const verdictMark = (state) => icon(state, `is-${state}`);
