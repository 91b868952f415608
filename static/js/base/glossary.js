/** The glossary of plugins, extension points, codes, steps, queues and hints, fetched once. */
import { signal } from "../../vendor/preact.js";
import { get } from "./api.js";
import { words } from "./i18n.js";

const terms = signal(null);
let reading = null;

/** Return the glossary as a signal of Map "kind name" → {text, url}; null until it is loaded. */
export function glossary() {
  reading ??= Promise.all([get("explain/glossary/"), words()]).then(
    ([entries]) => (terms.value = new Map(entries.map((entry) => [`${entry.kind} ${entry.name}`, entry]))),
    () => (reading = null),
  );
  return terms;
}

/** Return a promise that resolves when the glossary is loaded or has failed to load. */
export const glossaryRead = () => Promise.resolve((glossary(), reading));
