/** Words. Django's JavaScriptCatalog defines window.gettext; Kubernetes identifiers and upstream's messages are never translated. */

const identity = (text) => text;
const plural = (one, many, count) => (count === 1 ? one : many);

export const _ = (text) => (window.gettext ?? identity)(text);

/** Fill `{name}` placeholders: `fill("{n} nodes left", { n: 3 })`; the text comes from `_`. */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** A counted phrase; `{n}` becomes the number, written as people of this language write it. */
export const ngettext = (one, many, count) => fill((window.ngettext ?? plural)(one, many, count), { n: number(count) });

const formatter = new Intl.NumberFormat(document.documentElement.lang || "en");

/** 8152 → "8,152". */
export const number = (value) => formatter.format(value);
