/** An editor for a load over a day: draw by mouse, pen or finger, use the arrow keys, or edit the text. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { loadStyleSheet } from "../parts/style_sheet.js";
import { SLOTS, pointsOf, roundUp, spanOf, stroked, textOf, valueAt, without, withValue } from "./curve_points.js";

await loadStyleSheet(new URL("./curve.css", import.meta.url));

const WIDTH = 480;
const HEIGHT = 132;
const FINE = 50; // steps of an arrow key over the whole range
const COARSE = 5; // steps of a page key
const MARKS = [0, 6, 12, 18, 24];

/** Format seconds: 27000 → "7:30 h"; for a curve of an hour "7 min". */
const timeText = (seconds, span) =>
  span <= 3600
    ? fill(_("{n} min"), { n: formatNumber(Math.round(seconds / 60)) })
    : `${Math.floor(seconds / 3600)}:${String(Math.round((seconds % 3600) / 60)).padStart(2, "0")} h`;

/** Handle drawing on the picture: call `onStroke(from, to)` for each part of a stroke, `onEnd()` at its end. */
function useDrawing(box, most, onStroke, onEnd) {
  const last = useRef(null);
  const positionOf = (event) => {
    const { left, top, width, height } = box.current.getBoundingClientRect();
    const clampShare = (value) => Math.max(0, Math.min(1, value));
    return {
      slot: Math.round(clampShare((event.clientX - left) / width) * SLOTS),
      value: (1 - clampShare((event.clientY - top) / height)) * most,
    };
  };
  const move = (event) => {
    const to = positionOf(event);
    onStroke(last.current, to);
    last.current = to;
  };
  return {
    onPointerDown: (event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      last.current = positionOf(event);
      move(event);
    },
    onPointerMove: (event) => last.current && move(event),
    onPointerUp: () => last.current && ((last.current = null), onEnd()),
    onPointerCancel: () => last.current && ((last.current = null), onEnd()),
  };
}

/** `value`: the text; `unit`: the unit in words; `onValue(text)` after each stroke or key. */
export function Curve({ value, label, unit, invalid, onValue }) {
  const box = useRef(null);
  const read = pointsOf(value);
  const [points, setPoints] = useState(read ?? []);
  const [slot, setSlot] = useState(0);
  const [most, setMost] = useState(() => roundUp(Math.max(...(read ?? []).map((point) => point.value), 0) * 1.05));
  const drawn = useRef(points);
  const span = spanOf(points);
  const showPoints = (next) => {
    drawn.current = next;
    setPoints(next);
  };
  // The text was changed from outside.
  useEffect(() => {
    if (!read || textOf(read) === textOf(drawn.current)) return;
    showPoints(read);
    setMost(roundUp(Math.max(...read.map((point) => point.value), 0) * 1.05));
  }, [value]);
  const reportText = () => onValue(textOf(drawn.current));
  const drawing = useDrawing(
    box,
    most,
    (from, to) => {
      setSlot(to.slot);
      showPoints(stroked(drawn.current, from, to, span));
    },
    reportText,
  );
  const time = (slot * span) / SLOTS;
  const currentValue = valueAt(points, time);
  const lift = (steps) => (
    showPoints(withValue(points, slot, Math.min(most, currentValue + (steps * most) / FINE), span)), reportText()
  );
  const keys = {
    ArrowLeft: () => setSlot(Math.max(0, slot - 1)),
    ArrowRight: () => setSlot(Math.min(SLOTS, slot + 1)),
    Home: () => setSlot(0),
    End: () => setSlot(SLOTS),
    ArrowUp: () => lift(1),
    ArrowDown: () => lift(-1),
    PageUp: () => lift(COARSE),
    PageDown: () => lift(-COARSE),
    Delete: () => (showPoints(without(points, slot, span)), reportText()),
  };
  const handleKey = (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  };
  const x = (seconds) => (seconds / span) * WIDTH;
  const y = (amount) => HEIGHT - (Math.min(amount, most) / most) * HEIGHT;
  const line = [{ at: 0, value: valueAt(points, 0) }, ...points, { at: span, value: valueAt(points, span) }]
    .map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`)
    .join(" ");
  const word = `${timeText(time, span)}: ${formatNumber(Math.round(currentValue * 1000) / 1000)} ${unit}`;
  return html`<div class="curve">
    <div class="curve-head">
      <b class="num" aria-hidden="true">${word}</b>
      <label><span class="quiet">${_("top of the drawing")}</span>
        <input type="number" class="small" min="0" step="any" aria-label=${_("top of the drawing")} value=${most}
          onChange=${(event) => Number(event.currentTarget.value) > 0 && setMost(Number(event.currentTarget.value))}
        />
      </label>
    </div>
    <div class="curve-box" ref=${box} tabindex="0" role="slider" aria-label=${label} aria-valuemin="0"
      aria-valuemax=${most} aria-valuenow=${Math.round(currentValue * 1000) / 1000} aria-valuetext=${word}
      onKeyDown=${handleKey}
      ...${drawing}
    >
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        ${MARKS.map((mark) => {
          const across = x((mark * span) / SLOTS);
          return html`<line class="grid" x1=${across} x2=${across} y1="0" y2=${HEIGHT} />`;
        })}
        ${[0.25, 0.5, 0.75].map((part) => {
          const up = part * HEIGHT;
          return html`<line class="grid" x1="0" x2=${WIDTH} y1=${up} y2=${up} />`;
        })}
        ${
          points.length > 0 &&
          html`
            <polygon points=${`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
            <polyline points=${line} />
          `
        }
        <line class="here" x1=${x(time)} x2=${x(time)} y1="0" y2=${HEIGHT} />
      </svg>
      ${
        points.length > 0 &&
        html`<i class="spot"
          style=${{ left: `${(100 * time) / span}%`, top: `${(100 * y(currentValue)) / HEIGHT}%` }} />`
      }
      ${!points.length && html`<p class="quiet">${_("Draw here, or use the arrow keys")}</p>`}
    </div>
    <p class="curve-times" aria-hidden="true">
      ${MARKS.map((mark) => html`<span key=${mark}>${timeText((mark * span) / SLOTS, span)}</span>`)}
    </p>
    <input type="text" class="small mono" aria-label=${fill(_("{field}: as text"), { field: label })}
      aria-invalid=${invalid} spellcheck=${false} autocomplete="off" placeholder="0h=5 12h=120 18h=300"
      value=${value ?? ""} onInput=${(event) => onValue(event.currentTarget.value)}
    />
  </div>`;
}
