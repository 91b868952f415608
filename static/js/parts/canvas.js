/** Canvas helpers: a pen at the screen's resolution, the theme's colors, the available width. */
import { useEffect, useState } from "../../vendor/preact.js";

const tints = new Map();

/** Return the theme's colors by name, read once because reading them computes styles. */
export function colours(names) {
  const key = `${document.documentElement.dataset.theme} ${names}`;
  if (!tints.has(key)) {
    const style = getComputedStyle(document.documentElement);
    tints.set(key, Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])));
  }
  return tints.get(key);
}

/** Return the pen of a cleared canvas, with its size in px of the page. */
export function penOf(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  const pen = canvas.getContext("2d");
  // Setting the size, even to the same value, makes the browser recompute layout.
  if (canvas.width === wide && canvas.height === high) pen.reset();
  else Object.assign(canvas, { width: wide, height: high });
  pen.scale(ratio, ratio);
  return pen;
}

const NO_SIZE = { width: 0, height: 0 };

/** Return the size of a box in px; 0 × 0 until it is known. */
export function useSize(box) {
  const [size, setSize] = useState(NO_SIZE);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setSize(entry.contentRect));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return size;
}
