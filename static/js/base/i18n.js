/**
 * Translation. Django's JavaScriptCatalog defines window.gettext. Kubernetes identifiers and upstream's messages stay
 * in English.
 */

const identity = (text) => text;
const plural = (one, many, count) => (count === 1 ? one : many);

export const _ = (text) => (window.gettext ?? identity)(text);

/** Fill `{name}` placeholders: `fill("{n} nodes left", { n: 3 })`; the text is a result of `_`. */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);

/** Return a plural phrase; `{n}` becomes the number in the format of the language. */
export const ngettext = (one, many, count) =>
  fill((window.ngettext ?? plural)(one, many, count), { n: formatNumber(count) });

let moreMessages = null;

/**
 * Return a promise of all messages, not only those of the first screen. Lazy views, the engine's and the server's
 * sentences wait for it. Without a connection they show in English, and the next call tries again.
 */
export function loadMessages() {
  if (language() === "en") return Promise.resolve();
  moreMessages ??= fetch("/jsi18n/more/")
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
    .then(({ catalog }) => Object.assign(window.django.catalog, catalog))
    .catch(() => (moreMessages = null));
  return moreMessages;
}

/** Import a module by `load()` after all messages are loaded. */
export const loadWithMessages = (load) => loadMessages().then(load);

/** The languages of the server's settings: [[code, name in that language]]. */
export const LANGUAGES = JSON.parse(document.getElementById("languages").textContent);

export const language = () => document.documentElement.lang;

const formatter = new Intl.NumberFormat(language() || "en");

/** Format a number: 8152 → "8,152". */
export const formatNumber = (value) => formatter.format(value);
