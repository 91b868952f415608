/** The glossary of plugins, extension points, codes, steps, lanes and hints, fetched once. */
import { signal } from "../../vendor/preact.js";
import { get } from "./api.js";
import { words } from "./i18n.js";

const terms = signal(null);
let reading = null;

/** Return the glossary as a signal of Map "kind name" → {text, url}; null until it is there. */
export function glossary() {
  reading ??= Promise.all([get("explain/glossary/"), words()]).then(
    ([entries]) => (terms.value = new Map(entries.map((entry) => [`${entry.kind} ${entry.name}`, entry]))),
    () => (reading = null),
  );
  return terms;
}

/** Resolves when the glossary is there, or could not be fetched. */
export const glossaryRead = () => Promise.resolve((glossary(), reading));
