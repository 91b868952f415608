/**
 * Words. Django's JavaScriptCatalog defines window.gettext; Kubernetes identifiers and upstream's messages are never
 * translated.
 */

const identity = (text) => text;
const plural = (one, many, count) => (count === 1 ? one : many);

export const _ = (text) => (window.gettext ?? identity)(text);

/** Fill `{name}` placeholders: `fill("{n} nodes left", { n: 3 })`; the text comes from `_`. */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** A counted phrase; `{n}` becomes the number, written as people of this language write it. */
export const ngettext = (one, many, count) => fill((window.ngettext ?? plural)(one, many, count), { n: number(count) });

let later = null;

/**
 * Resolves when all words are there, not only those of the first screen. Whatever says others waits for it: the
 * engine's sentences, the server's, and what is loaded when it is opened. Without a connection it is said in English,
 * and the next one asks again.
 */
export function words() {
  if (language() === "en") return Promise.resolve();
  later ??= fetch("/jsi18n/more/")
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
    .then(({ catalog }) => Object.assign(window.django.catalog, catalog))
    .catch(() => (later = null));
  return later;
}

/** `load()` imports a module, which may say something as soon as it is there. */
export const withWords = (load) => words().then(load);

/** The languages of the server's settings, which come with the page: [[code, name in that language]]. */
export const LANGUAGES = JSON.parse(document.getElementById("languages").textContent);

export const language = () => document.documentElement.lang;

const formatter = new Intl.NumberFormat(language() || "en");

/** 8152 → "8,152". */
export const number = (value) => formatter.format(value);
