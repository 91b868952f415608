/** The splitter between two panels: drag it, or use the arrow keys; its position is stored. */
import { html } from "../../vendor/preact.js";
import { preferences } from "../base/preferences.js";

const STEP = 16;
const KEYS = { x: { ArrowLeft: -1, ArrowRight: 1 }, y: { ArrowUp: -1, ArrowDown: 1 } };

/**
 * `name`: key of preferences.sizes; `axis`: x or y; `size`: px now; `grows`: 1 when dragging right/down makes the panel
 * bigger, else −1.
 */
export function Splitter({ name, axis, grows = 1, min, max, label, size }) {
  const setSize = (value) => {
    preferences.sizes.value = { ...preferences.sizes.peek(), [name]: Math.round(Math.min(max, Math.max(min, value))) };
  };
  const drag = (event) => {
    event.preventDefault();
    const line = event.currentTarget;
    const from = axis === "x" ? event.clientX : event.clientY;
    line.setPointerCapture(event.pointerId);
    const move = (now) => setSize(size + grows * ((axis === "x" ? now.clientX : now.clientY) - from));
    line.addEventListener("pointermove", move);
    line.addEventListener("lostpointercapture", () => line.removeEventListener("pointermove", move), { once: true });
  };
  const handleKey = (event) => {
    const way = KEYS[axis][event.key];
    if (!way) return;
    event.preventDefault();
    setSize(size + grows * way * STEP);
  };
  return html`<div class=${`splitter ${axis}`} role="separator" tabindex="0" aria-label=${label}
    aria-orientation=${axis === "x" ? "vertical" : "horizontal"} aria-valuenow=${size} aria-valuemin=${min}
    aria-valuemax=${max} onPointerDown=${drag} onKeyDown=${handleKey}
  ></div>`;
}
