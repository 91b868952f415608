/**
 * The palette's input until the palette is there: who types its key goes on typing at once, and nothing typed is lost.
 */
import { html, signal, useLayoutEffect, useRef } from "../../vendor/preact.js";
import { isComposing } from "../base/composing.js";
import { _ } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";

/** What was typed so far; the palette begins with it. */
export const typed = signal("");
/** Enter was pressed before there was anything to choose: the first that is found is meant. */
export const entered = signal(false);

export function EarlyPalette() {
  const root = useRef(null);
  useLayoutEffect(() => {
    const dialog = root.current;
    typed.value = "";
    entered.value = false;
    dialog.showModal();
    dialog.querySelector("input").focus();
    // Closed, not only gone: the focus is back where it was when the palette asks where that is.
    return () => dialog.close();
  }, []);
  return html`<dialog class="palette" ref=${root} aria-label=${_("Find an action or an object")}
    onCancel=${closeDialog}
  >
    <div class="palette-head">
      <input type="text" aria-label=${_("Find an action or an object")} autocomplete="off" spellcheck=${false}
        maxlength="200" onInput=${(event) => ((typed.value = event.currentTarget.value), (entered.value = false))}
        onKeyDown=${(event) => event.key === "Enter" && !isComposing(event) && ((entered.value = true))}
      />
    </div>
  </dialog>`;
}
