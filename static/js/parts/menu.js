/** A button that opens a small panel; Escape and a click outside close it. */
import { html, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { isComposing } from "../base/input_method.js";
import { useKeydown } from "./use_keydown.js";
import { icon } from "./icon.js";

/** `label`: the button's content; `children`: function of close() that returns the panel's content. */
export function Menu({ label, title, align = "start", className = "", children, bare = false }) {
  const [open, setOpen] = useState(false);
  const root = useRef(null);
  const close = () => setOpen(false);
  useKeydown(
    (event) => {
      if (event.key !== "Escape" || isComposing(event)) return;
      event.preventDefault();
      close();
      root.current.querySelector("button").focus();
    },
    [],
    open,
  );
  useLayoutEffect(() => {
    if (!open) return undefined;
    const outside = (event) => root.current?.contains(event.target) || close();
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  return html`<div class=${`menu ${className}`} ref=${root}>
    <button type="button" class=${bare ? "btn bare" : "btn"} aria-expanded=${open} title=${title}
      onClick=${() => setOpen(!open)}
    >${label} ${icon("down", "quiet")}</button>
    ${open && html`<div class=${`menu-panel ${align}`}>${children(close)}</div>`}
  </div>`;
}

/** `lang`: the language of its text, if it is not the page's. */
export function MenuItem({ onPick, href, download, children, hint, current, danger, disabled, lang }) {
  const content = html`<span class="grow cut">${children}</span>${hint && html`<span class="quiet">${hint}</span>`}`;
  if (href) return html`<a class="menu-item" href=${href} download=${download} onClick=${onPick}>${content}</a>`;
  return html`<button type="button" disabled=${disabled} lang=${lang} class=${`menu-item ${danger ? "danger" : ""}`}
    aria-current=${current ? "true" : undefined} onClick=${onPick}
  >${content}</button>`;
}
