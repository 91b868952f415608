/** Translation of the engine's sentences, {template, args, plural?, count?}. */
import { _, fill, formatNumber } from "./i18n.js";

const translateArgument = (value) =>
  typeof value === "number" ? formatNumber(value) : value?.template ? translateSentence(value) : value;

/** Return a sentence in the language of the page; its args (names and upstream's texts) are not translated. */
export function translateSentence(data) {
  if (!data) return "";
  const values = Object.fromEntries(
    Object.entries(data.args ?? {}).map(([name, value]) => [name, translateArgument(value)]),
  );
  const template =
    data.plural && window.ngettext
      ? window.ngettext(data.template, data.plural, data.count)
      : data.plural && data.count !== 1
        ? data.plural
        : _(data.template);
  return fill(template, values);
}

/** Return a text of an answer: translated if its field `said` has the sentence, otherwise unchanged. */
export const translatedText = (answer, name) =>
  answer.said?.[name] ? translateSentence(answer.said[name]) : answer[name];
