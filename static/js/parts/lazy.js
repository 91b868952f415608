/** Views whose script is loaded when they are first drawn, so that the first page stays small. */
import { html, signal } from "../../vendor/preact.js";
import { loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";

/** Return a view of `load()`, a promise of the view; `waiting` shows until then. All messages load before the view. */
export const lazy = (load, waiting = null) => early(() => loadWithMessages(load), waiting);

/** Return the same for a view of the first screen, whose messages are already loaded. */
export function early(load, waiting = null) {
  const loaded = signal(null);
  let loading = false;
  return function Lazy(props) {
    const View = loaded.value?.view;
    if (View) return html`<${View} ...${props} />`;
    if (loading) return waiting;
    loading = true;
    load().then(
      (view) => (loaded.value = { view }),
      (error) => {
        loading = false; // the next drawing tries again
        reportError(error);
      },
    );
    return waiting;
  };
}
