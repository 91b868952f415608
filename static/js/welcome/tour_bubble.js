/** The bubble of the tour, and the frame around the element that it explains. The tour does not block the page. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { isComposing } from "../base/input_method.js";
import { _, fill } from "../base/i18n.js";
import { showPanel } from "../base/screen.js";
import { endTour, tour } from "./tour.js";
import { moveTour, tourSteps } from "./tour_steps.js";
import { useKeydown } from "../parts/use_keydown.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./tour.css", import.meta.url));

const GAP = 12;
const EDGE = 8;
const MEASURE_INTERVAL = 250; // ms; panels move while a cluster opens

/** Return the bubble's position: below the explained element, else above, beside, or inside it. */
function placeBubble(box, bubble) {
  const clampX = (x) => Math.max(EDGE, Math.min(x, innerWidth - bubble.width - EDGE));
  const clampY = (y) => Math.max(EDGE, Math.min(y, innerHeight - bubble.height - EDGE));
  const middle = clampX(box.left + Math.min(24, box.width / 2));
  if (box.bottom + GAP + bubble.height <= innerHeight - EDGE) return { left: middle, top: box.bottom + GAP };
  if (box.top - GAP - bubble.height >= EDGE) return { left: middle, top: box.top - GAP - bubble.height };
  if (box.left - GAP - bubble.width >= EDGE) return { left: box.left - GAP - bubble.width, top: clampY(box.top + 48) };
  return { left: middle, top: clampY(box.bottom - bubble.height - GAP) };
}

/** Return the visible area of an element: {left, top, right, bottom, width, height}. */
function visibleBox(element) {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const panel = element.parentElement.closest(".narrow-panel")?.getBoundingClientRect() ?? { top, bottom };
  const from = Math.max(top, panel.top);
  const to = Math.max(from, Math.min(bottom, panel.bottom));
  return { left, right, top: from, bottom: to, width: right - left, height: to - from };
}

export function Tour() {
  const state = tour.value;
  return state && html`<${Bubble} step=${state.step} />`;
}

function Bubble({ step }) {
  const bubble = useRef(null);
  const [position, setPosition] = useState(null);
  const steps = tourSteps();
  const { selector, panel, title, text, keys } = steps[step];

  // On a narrow page, open the tab with the explained element.
  useLayoutEffect(() => {
    showPanel(panel);
  }, [step]);
  useLayoutEffect(() => {
    let isNew = true;
    const measure = () => {
      const element = document.querySelector(selector);
      if (!element) return;
      if (isNew) element.scrollIntoView({ block: "nearest" });
      isNew = false;
      const box = visibleBox(element);
      const place = placeBubble(box, bubble.current.getBoundingClientRect());
      const next = { box, place };
      setPosition((old) => (JSON.stringify(old) === JSON.stringify(next) ? old : next));
    };
    measure();
    const timer = setInterval(measure, MEASURE_INTERVAL);
    window.addEventListener("resize", measure);
    return () => {
      clearInterval(timer);
      window.removeEventListener("resize", measure);
    };
  }, [step]);
  useEffect(() => {
    if (position) bubble.current.querySelector(".primary").focus();
  }, [step, Boolean(position)]);
  // When the tour ends, return the focus to the element that had it earlier.
  useEffect(() => {
    const focused = document.activeElement;
    const bubbleElement = bubble.current;
    return () => bubbleElement.contains(document.activeElement) && focused?.focus?.();
  }, []);
  useKeydown((event) => {
    if (event.key !== "Escape" || isComposing(event) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopPropagation();
    endTour();
  });

  const moveByArrow = (event) => {
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    moveTour(direction);
  };
  const box = position?.box;
  const frame = box && {
    left: `${box.left - 3}px`,
    top: `${box.top - 3}px`,
    width: `${box.width + 6}px`,
    height: `${box.height + 6}px`,
  };
  const bubbleStyle = position
    ? { left: `${position.place.left}px`, top: `${position.place.top}px` }
    : { visibility: "hidden" };
  return html`<div class="tour">
    ${box && html`<i class="tour-frame" aria-hidden="true" style=${frame} />`}
    <section class="tour-bubble" ref=${bubble} role="dialog" aria-labelledby="tour-title" aria-describedby="tour-text"
      data-step=${step + 1} onKeyDown=${moveByArrow}
      style=${bubbleStyle}
    >
      <h2 id="tour-title">${title}</h2>
      <p id="tour-text">${text}</p>
      ${
        keys.length > 0 &&
        html`<p class="row wrap tour-keys">
          ${keys.map(([key, does]) => html`<span key=${key}><kbd>${key}</kbd> ${does}</span>`)}
        </p>`
      }
      <div class="row">
        <span class="quiet grow">${fill(_("{n} of {all}"), { n: step + 1, all: steps.length })}</span>
        <button type="button" class="btn bare" onClick=${endTour}>
          ${step + 1 === steps.length ? _("Close") : _("Skip the tour")}
        </button>
        ${step > 0 && html`<button type="button" class="btn" onClick=${() => moveTour(-1)}>${_("Back")}</button>`}
        <button type="button" class="btn primary" onClick=${() => moveTour(1)}>
          ${step + 1 === steps.length ? _("Start") : _("Next")}
        </button>
      </div>
    </section>
  </div>`;
}
