/** The palette's input before the palette is loaded, so that no typed key is lost. */
import { html, signal, useLayoutEffect, useRef } from "../../vendor/preact.js";
import { isComposing } from "../base/input_method.js";
import { _ } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";

/** The text typed so far; the palette starts with it. */
export const typed = signal("");
/** True if Enter was pressed before the results; it selects the first one. */
export const entered = signal(false);

export function EarlyPalette() {
  const root = useRef(null);
  useLayoutEffect(() => {
    const dialog = root.current;
    typed.value = "";
    entered.value = false;
    dialog.showModal();
    dialog.querySelector("input").focus();
    // Close, not only remove it: the focus then returns to where the palette expects it.
    return () => dialog.close();
  }, []);
  return html`<dialog class="palette" ref=${root} aria-label=${_("Command palette")}
    onCancel=${closeDialog}
  >
    <div class="palette-head">
      <input type="text" aria-label=${_("Command palette")} autocomplete="off" spellcheck=${false}
        maxlength="200" onInput=${(event) => ((typed.value = event.currentTarget.value), (entered.value = false))}
        onKeyDown=${(event) => event.key === "Enter" && !isComposing(event) && ((entered.value = true))}
      />
    </div>
  </dialog>`;
}
