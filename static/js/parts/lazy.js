/** A view whose script is loaded when it is first drawn, so that the first look stays small. */
import { html, signal } from "../../vendor/preact.js";
import { withWords } from "../base/i18n.js";
import { report } from "../base/notices.js";

/** `load()`: a promise of the view; `waiting`: what shows until then. All words are there before the view is. */
export const lazy = (load, waiting = null) => early(() => withWords(load), waiting);

/** The same for what the first screen may begin with: its words are among the first ones. */
export function early(load, waiting = null) {
  const found = signal(null);
  let loading = false;
  return function Lazy(props) {
    const View = found.value?.view;
    if (View) return html`<${View} ...${props} />`;
    if (loading) return waiting;
    loading = true;
    load().then(
      (view) => (found.value = { view }),
      (error) => {
        loading = false; // the next look asks again
        report(error);
      },
    );
    return waiting;
  };
}
