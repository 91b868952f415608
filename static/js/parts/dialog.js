/** A modal dialog: the browser's own <dialog>, which keeps the focus inside and closes on Escape. */
import { html, useLayoutEffect, useRef } from "../../vendor/preact.js";
import { isComposing } from "../base/input_method.js";
import { _ } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { icon } from "./icon.js";

// These handle Enter themselves, or it is a new line there.
const ENTERED =
  "button, a, summary, textarea, select, [contenteditable=true], .cm-editor, [role=tab], [role=listbox], " +
  "[role=combobox]";

/** Let Enter press the primary button where it has no other meaning; Ctrl+Enter everywhere. */
function confirmByEnter(event) {
  if (event.key !== "Enter" || event.defaultPrevented || isComposing(event)) return;
  if (!(event.ctrlKey || event.metaKey) && event.target.closest(ENTERED)) return;
  const primary = event.currentTarget.querySelector(".dialog-foot .btn.primary:not(:disabled)");
  if (!primary) return;
  event.preventDefault();
  primary.click();
}

/**
 * A dialog; `wide` for editors, "full" for tables and pictures.
 * @param {{ title: any, children?: any, foot?: any, wide?: boolean | "full" }} what
 */
export function Dialog({ title, children, foot, wide = false }) {
  const root = useRef(null);
  // A layout effect, because a key in the frame between would go to the page.
  useLayoutEffect(() => {
    const before = document.activeElement;
    root.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${root} class=${wide === "full" ? "wide full" : wide ? "wide" : ""}
    aria-labelledby="dialog-title" onClose=${closeDialog} onKeyDown=${confirmByEnter}
  >
    <div class="dialog-head">
      <h2 id="dialog-title" class="grow">${title}</h2>
      <button type="button" class="btn bare icon" aria-label=${_("Close")} onClick=${closeDialog}>
        ${icon("close")}
      </button>
    </div>
    <div class="dialog-body" tabindex="-1" autofocus>${children}</div>
    ${foot && html`<div class="dialog-foot">${foot}</div>`}
  </dialog>`;
}
