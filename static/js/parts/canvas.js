/** What a drawing on a canvas needs: its pen at the screen's resolution, the theme's colours, the width there is. */
import { useEffect, useState } from "../../vendor/preact.js";

const tints = new Map();

/** The theme's colours by name, read once: to read them works out the page's styles. */
export function colours(names) {
  const key = `${document.documentElement.dataset.theme} ${names}`;
  if (!tints.has(key)) {
    const style = getComputedStyle(document.documentElement);
    tints.set(key, Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])));
  }
  return tints.get(key);
}

/** The pen of a canvas that is made empty, so large in px of the page. */
export function penOf(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  const pen = canvas.getContext("2d");
  // To set its size, even to what it is, has the browser work out its style and make room for it anew.
  if (canvas.width === wide && canvas.height === high) pen.reset();
  else Object.assign(canvas, { width: wide, height: high });
  pen.scale(ratio, ratio);
  return pen;
}

const NO_SIZE = { width: 0, height: 0 };

/** The size of a box, in px; 0 × 0 until it is known. */
export function useSize(box) {
  const [size, setSize] = useState(NO_SIZE);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setSize(entry.contentRect));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return size;
}
