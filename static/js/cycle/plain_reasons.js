/** Short, plain texts for reasons and events; the tooltip has upstream's text. */
import { signal } from "../../vendor/preact.js";
import { get } from "../base/api.js";
import { shortenReason } from "../base/format.js";
import { _, fill, loadMessages } from "../base/i18n.js";
import { shortPlugin } from "./cycle_texts.js";
import { glossary } from "../base/glossary.js";
import { translateSentence } from "../base/sentence.js";

const patterns = signal(null); // [{pattern: RegExp, plain}]
let request = null;

/** Return the table, fetched with the first rejection; until then, upstream's text is shortened. */
function loadPatterns() {
  request ??= Promise.all([get("explain/plain/"), loadMessages()]).then(
    ([entries]) =>
      (patterns.value = entries.map(({ pattern, plain }) => ({ pattern: new RegExp(`^(?:${pattern})$`), plain }))),
    () => (request = null),
  );
  return patterns.value ?? [];
}

/** Return a taint as kubectl writes it: "a=b", "a" without a value, "a=b:NoSchedule" if the node's `taints` have it. */
function taintText({ key, value }, taints) {
  const bare = value ? `${key}=${value}` : key;
  return taints.find((taint) => taint.startsWith(`${bare}:`)) ?? bare;
}

const UNNAMED_TAINT = "node(s) had untolerated taint(s)";

/** Add the taint to the reason, which omits it since v1.36, if the node has one that repels pods. */
function withTaint(reason, taints) {
  const hard = taints.filter((taint) => /:No(Schedule|Execute)$/.test(taint));
  if (reason !== UNNAMED_TAINT || hard.length !== 1) return reason;
  const [, key, value] = /^([^=:]+)=?([^:]*):/.exec(hard[0]);
  return `node(s) had untolerated taint {${key}: ${value}}`;
}

/**
 * Shorten a reason: "node(s) had untolerated taint {a: b}" → "taint a=b not tolerated", with its effect if the node's
 * `taints` are known.
 */
export function plainReason(fullReason, taints = []) {
  const reason = withTaint(fullReason, taints);
  for (const { pattern, plain } of loadPatterns()) {
    const match = pattern.exec(reason);
    if (!match) continue;
    const text = translateSentence({ template: plain, args: match.groups }).trim();
    return match.groups?.key === undefined
      ? text
      : text.replace(`${match.groups.key}=${match.groups.value}`, () => taintText(match.groups, taints));
  }
  return shortenReason(reason);
}

const plainEvent = (event) => translateSentence(glossary().value?.get(`event ${event}`)?.text) || event;

const plainHint = (hint) => ({ Queue: _("may help"), QueueSkip: _("cannot help") })[hint] ?? hint;

/** Return why a pod moved between queues: "a node's taints changed, Taint: may help". */
export function plainCause({ event, plugin, hint, from, to, during }) {
  const pluginText = plugin ? [shortPlugin(plugin), hint && plainHint(hint)].filter(Boolean).join(": ") : "";
  const cause = during
    ? fill(_("{event} meanwhile, {said}"), { event: plainEvent(during), said: pluginText })
    : pluginText;
  return [event && plainEvent(event), cause].filter(Boolean).join(", ") || (from === to ? _("cannot help") : "");
}
