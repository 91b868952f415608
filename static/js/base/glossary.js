/** The glossary of plugins, extension points, codes, steps, queues and hints, fetched once. */
import { signal } from "../../vendor/preact.js";
import { get } from "./api.js";
import { loadMessages } from "./i18n.js";

const terms = signal(null);
let request = null;

/** Return the glossary as a signal of Map "kind name" → {text, url}; null until it is loaded. */
export function glossary() {
  request ??= Promise.all([get("explain/glossary/"), loadMessages()]).then(
    ([entries]) => (terms.value = new Map(entries.map((entry) => [`${entry.kind} ${entry.name}`, entry]))),
    () => (request = null),
  );
  return terms;
}

/** Return a promise that resolves when the glossary is loaded or has failed to load. */
export const whenGlossaryLoaded = () => Promise.resolve((glossary(), request));
