/** A modal dialog: the browser's own <dialog>, which keeps the focus inside and closes on Escape. */
import { html, useEffect, useRef } from "../../../vendor/preact.js";
import { _ } from "../../i18n.js";
import { store } from "../../store.js";
import { icon } from "./icon.js";

export const closeDialog = () => {
  store.dialog.value = null;
};

/** `title`, `children`, `foot`; `wide` for editors, "full" for tables and pictures. */
export function Dialog({ title, children, foot, wide = false }) {
  const root = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    root.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${root} class=${wide === "full" ? "wide full" : wide ? "wide" : ""} aria-labelledby="dialog-title" onClose=${closeDialog}>
    <div class="dialog-head">
      <h2 id="dialog-title" class="grow">${title}</h2>
      <button type="button" class="btn bare icon" aria-label=${_("Close")} onClick=${closeDialog}>${icon("close")}</button>
    </div>
    <div class="dialog-body" tabindex="-1" autofocus>${children}</div>
    ${foot && html`<div class="dialog-foot">${foot}</div>`}
  </dialog>`;
}
