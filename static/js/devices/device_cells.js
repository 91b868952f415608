/**
 * The devices of a node on its card, one cell each: hollow is free, full is taken, half is shared, crossed out is
 * tainted.
 */
import { html } from "../../vendor/preact.js";
import { _, ngettext, formatNumber } from "../base/i18n.js";
import { devices } from "./visible_devices.js";
import "./device_styles.js";
import { cellTitle, countsInWords } from "./device_texts.js";

const SIZE = { full: 9, compact: 6 };
const GAP = 2;
const REST = 26; // px for the number of devices not drawn
const LABEL = 58; // px of the text before the cells, as before a bar

/** One cell, its mark within `size` px. */
export function Cell({ cell, x = 0, size }) {
  const s = size - 1;
  return html`<g class=${`cell s-${cell.state} ${cell.partition ? "part" : ""}`}
    transform=${`translate(${x + 0.5} 0.5)`}
  >
    <title>${cellTitle(cell)}</title>
    <rect class="box" width=${s} height=${s} rx="1" />
    ${cell.state === "shared" && html`<rect class="fill" y=${s / 2} width=${s} height=${s / 2} />`}
    ${cell.state === "blocked" && html`<path class="slash" d=${`M0 ${s} ${s} 0`} />`}
    ${cell.tainted && html`<path class="taint" d=${`M0 0 ${s} ${s}M0 ${s} ${s} 0`} />`}
  </g>`;
}

export const devicesWord = (count) => ngettext("{n} device", "{n} devices", count);

export function DeviceCells({ node, width, full }) {
  const entry = devices.value.get(node);
  if (!entry) return html`<span class=${`device-cells ${full ? "full" : ""}`} />`;
  const size = full ? SIZE.full : SIZE.compact;
  const pitch = size + GAP;
  const own = width - (full ? LABEL : 0);
  const fits = Math.floor(own / pitch);
  const count =
    entry.total <= fits ? Math.min(entry.total, entry.devices.length) : Math.max(1, Math.floor((own - REST) / pitch));
  const shown = entry.devices.slice(0, count);
  const words = countsInWords(entry, devicesWord);
  return html`<span class=${`device-cells ${full ? "full" : ""}`} title=${words} data-devices=${entry.total}>
    ${full && html`<span class="cut quiet">${_("devices")}</span>`}
    <svg width=${shown.length * pitch} height=${size} role="img" aria-label=${words}>
      ${shown.map((cell, i) => html`<${Cell} key=${cell.device} cell=${cell} x=${i * pitch} size=${size} />`)}
    </svg>
    ${entry.total > shown.length && html`<i class="num">+${formatNumber(entry.total - shown.length)}</i>`}
  </span>`;
}
