/** Pictures of a view: an SVG of its elements and styles, or a PNG, with a caption about the moment. */
import { formatClock } from "../base/format.js";
import { stepsOf } from "../cycle/frame.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { store } from "../base/store.js";

const XHTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const FOOT = 28; // px of the line under the picture
const SHARPNESS = 2; // pixels of a PNG per px of the page
const SLIDE = { width: 1920, height: 1080, margin: 64, title: 88, foot: 56 };

/** Parts that a picture omits: switches, menus and floating elements. */
const LEFT_OUT = ".head select, .head .segments, .head .menu, .head input, .tip, .what, .sr";

/**
 * Return the rules of a style sheet that apply on this page. A picture has its own width, so media queries are resolved
 * here.
 */
function listActiveRules(rules) {
  return [...rules].flatMap((rule) => {
    if (rule instanceof CSSMediaRule)
      return matchMedia(rule.conditionText).matches ? listActiveRules(rule.cssRules) : [];
    return [rule.cssText];
  });
}

const collectStyles = () => [...document.styleSheets].flatMap((sheet) => listActiveRules(sheet.cssRules)).join("\n");

/**
 * Return a copy of an element that looks the same without the page: canvases as images, scrolled boxes at their
 * position.
 */
function copyElement(element) {
  const copy = element.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  [element, ...element.querySelectorAll("*")].forEach((from, k) => {
    const to = copies[k];
    if (from instanceof HTMLCanvasElement) {
      const image = document.createElement("img");
      image.src = from.toDataURL();
      image.style.cssText = from.style.cssText;
      to.replaceWith(image);
    }
    if (!from.scrollTop && !from.scrollLeft) return;
    for (const child of to.children) {
      if (!child.classList.contains("grid-head")) child.style.translate = `${-from.scrollLeft}px ${-from.scrollTop}px`;
    }
  });
  for (const omitted of copy.querySelectorAll(LEFT_OUT)) omitted.remove();
  return copy;
}

/** Return the caption of the picture: cluster and moment. */
function captionTexts(title) {
  const cluster = store.cluster.peek();
  const shown = store.shown.peek();
  const moment = shown
    ? [
        fill(_("cycle {n}"), { n: formatNumber(shown.record.cycle.number) }),
        fill(_("step {n} of {all}"), { n: shown.step, all: stepsOf(shown.record).length }),
        formatClock(shown.record.t),
      ]
    : [formatClock(cluster.t)];
  return [
    [title, cluster.name, ...moment].join(" · "),
    fill(_("kube-scheduler playground, emulates {version}"), { version: cluster.emulates }),
  ];
}

/** Return the view's place on a slide: centered, as large as it fits between title and foot. */
function placeOnSlide(copy, width, height) {
  const { margin, title, foot } = SLIDE;
  const room = { width: SLIDE.width - 2 * margin, height: SLIDE.height - 2 * margin - title - foot };
  const scale = Math.min(room.width / width, room.height / height);
  const [left, top] = [margin + (room.width - width * scale) / 2, margin + title + (room.height - height * scale) / 2];
  Object.assign(copy.style, {
    position: "absolute",
    left: `${left}px`,
    top: `${top}px`,
    transformOrigin: "0 0",
    transform: `scale(${scale})`,
  });
}

/** Return {svg: text, width, height, sharpness} of a view, in its own size or as a slide. */
function drawSvg(element, title, slide) {
  // The size without a presenter page's zoom.
  const [wide, high] = [element.offsetWidth, element.offsetHeight];
  const [width, height] = slide ? [SLIDE.width, SLIDE.height] : [wide, high + FOOT];
  const svg = document.createElementNS(SVG, "svg");
  const theme = document.documentElement.dataset.theme;
  const attributes = { width, height, viewBox: `0 0 ${width} ${height}`, "data-theme": theme };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  const inside = document.createElementNS(SVG, "foreignObject");
  inside.setAttribute("width", "100%");
  inside.setAttribute("height", "100%");
  const style = document.createElementNS(XHTML, "style");
  style.textContent = collectStyles();
  const body = document.createElementNS(XHTML, "body");
  Object.assign(body.style, {
    width: `${width}px`,
    height: `${height}px`,
    container: "centre / inline-size",
    font: getComputedStyle(document.body).font,
  });
  body.setAttribute("class", slide ? "picture slide" : "picture");
  const copy = copyElement(element);
  copy.style.width = `${wide}px`;
  copy.style.height = `${high}px`;
  if (slide) {
    placeOnSlide(copy, wide, high);
    body.append(Object.assign(document.createElementNS(XHTML, "h1"), { className: "slide-title", textContent: title }));
  }
  const foot = document.createElementNS(XHTML, "p");
  foot.setAttribute("class", "picture-foot");
  const [left, right] = captionTexts(title).map((text) =>
    Object.assign(document.createElementNS(XHTML, "span"), { textContent: text }),
  );
  foot.append(left, right);
  body.append(copy, foot);
  inside.append(style, body);
  svg.append(inside);
  return { svg: new XMLSerializer().serializeToString(svg), width, height, sharpness: slide ? 1 : SHARPNESS };
}

async function toPng({ svg, width, height, sharpness }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * sharpness;
  canvas.height = height * sharpness;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** Save a picture of the view at `place`, a CSS selector, as "png" or "svg", or as a "slide": a PNG of 1920 × 1080. */
export async function savePicture({ view, title, place }, format) {
  const element = document.querySelector(place);
  if (!element) return void notify(fill(_("“{view}” is not open, so there is nothing to draw."), { view: title }));
  try {
    const drawn = drawSvg(element, title, format === "slide");
    const blob = format === "svg" ? new Blob([drawn.svg], { type: "image/svg+xml" }) : await toPng(drawn);
    const cycle = store.shown.peek()?.record.cycle.number;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    const name = cycle === undefined ? view : `${view}-cycle-${cycle}`;
    link.download = format === "slide" ? `${name}-slide.png` : `${name}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    reportError(error);
  }
}
