/** Translation of the engine's sentences, {template, args, plural?, count?}. */
import { _, fill, number } from "./i18n.js";

const shown = (value) => (typeof value === "number" ? number(value) : value?.template ? sentence(value) : value);

/** Return a sentence in the language of the page; its args (names and upstream's texts) are not translated. */
export function sentence(data) {
  if (!data) return "";
  const values = Object.fromEntries(Object.entries(data.args ?? {}).map(([name, value]) => [name, shown(value)]));
  const template =
    data.plural && window.ngettext
      ? window.ngettext(data.template, data.plural, data.count)
      : data.plural && data.count !== 1
        ? data.plural
        : _(data.template);
  return fill(template, values);
}

/** Return a text of an answer or a frame: translated if `said` has its sentence, otherwise unchanged. */
export const textOf = (answer, name) => (answer.said?.[name] ? sentence(answer.said[name]) : answer[name]);
