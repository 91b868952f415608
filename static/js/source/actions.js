/** The source beside the result: a window of the cluster's objects as YAML, kept in step both ways. */
import { signal } from "../../vendor/preact.js";
import { get, of, post, problemText } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { differences, documents, idOf } from "./documents.js";
import { store } from "../base/store.js";
import { toYaml } from "../base/yaml.js";
import { mayChange } from "../branches/branches.js";
import { isConflict, kinds } from "../objects/actions.js";
import { translate } from "../profile/legacy_config.js";
import { perform } from "../drive/run.js";

const MOST_EDITED = 400; // objects that a trial is sent

/**
 * {offset, total, search, objects: Map id → {manifest, text, read?}, kinds, own}; null until it is there. `turn` counts
 * how often it was read. `read` is the manifest that an edit began with, if the cluster has a newer one.
 */
export const windowed = signal(null);
/** "same" as the cluster, "edited", being "applied", or "refused": [{line, text}] say why. */
export const written = signal({ state: "same", problems: [] });
/** The cycle in view run again with what was edited, as profile/rerun.js tells a draft's. */
export const again = signal({ state: "none", answer: null, problems: [], took: 0 });

/** A configuration among the documents, which is no object: {past, from, to}; null for none. */
export const configuration = signal(null);

const overtaken = new Set(); // ids whose edit was refused because somebody else had changed the same field
const edited = new Map(); // id → manifest, null for gone: all that was edited here since the page came
let reading = 0;

const parts = (id) => {
  const [kind, key] = id.split(/ (.*)/);
  const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
  return { kind, name, ...(namespace ? { namespace } : {}) };
};

/** Read objects from `offset` on, or those `near` one: {kind, key}. */
export async function read({ offset = 0, search = "", near = null } = {}) {
  reading += 1;
  const mine = reading;
  const { id } = store.cluster.peek();
  const query = new URLSearchParams(near ? { ...near } : { offset, search });
  try {
    const [page, known] = await Promise.all([get(`${of(id, "source")}?${query}`), kinds()]);
    if (mine !== reading || store.cluster.peek()?.id !== id) return;
    const objects = new Map(
      page.objects.map(({ kind, key, manifest }) => [`${kind} ${key}`, { manifest, text: toYaml(manifest) }]),
    );
    for (const [one, { manifest }] of objects) if (edited.has(one)) edited.set(one, manifest);
    const { offset: from, total, own } = page;
    windowed.value = { offset: from, total, search: near ? "" : search, objects, kinds: known, own };
  } catch (error) {
    report(error);
  }
}

/** The same window once more: something has changed in the cluster. */
export const readAgain = () => windowed.peek() && read(windowed.peek());

export function forget() {
  reading += 1;
  edited.clear();
  overtaken.clear();
  windowed.value = null;
  written.value = { state: "same", problems: [] };
  configuration.value = null;
  again.value = { state: "none", answer: null, problems: [], took: 0 };
}

const translations = new Map(); // text → its translation, as the server answered

/**
 * Whether one of the documents that are no object of the cluster is a configuration: then it is told, and nothing is
 * applied.
 */
export async function findConfiguration(library, text) {
  const { objects, kinds: read, own } = windowed.peek();
  const strange = documents(text).find((one) => {
    const id = idOf(parsed(library, one.text).value, { kinds: read, own });
    return !id || (!objects.has(id) && !(id.split(" ")[0] in read));
  });
  if (strange && !translations.has(strange.text)) {
    if (translations.size > 50) translations.clear();
    translations.set(strange.text, await translate(strange.text));
  }
  const past = strange && translations.get(strange.text);
  configuration.value = past?.what ? { past, from: strange.from, to: strange.to } : null;
  return configuration.value;
}

/**
 * Run the cycle in view again with everything that was edited here; with nothing edited it is only made ready for that.
 */
export async function runAgain(started = performance.now()) {
  const number = store.shown.peek()?.record.cycle.number;
  if (!number || edited.size > MOST_EDITED) return;
  again.value = { ...again.peek(), state: "asking" };
  const objects = [...edited.values()].filter(Boolean);
  const gone = [...edited].filter(([, manifest]) => !manifest).map(([id]) => parts(id));
  try {
    const answer = await post(of(store.cluster.peek().id, "cycles", number, "again"), { objects, delete: gone });
    again.value = edited.size
      ? { state: "there", answer, problems: [], took: performance.now() - started }
      : { state: "none", answer: null, problems: [], took: 0 };
  } catch (error) {
    again.value = edited.size
      ? { ...again.peek(), state: "refused", problems: error.problems ?? [{ path: "", rule: error.message }] }
      : { state: "none", answer: null, problems: [], took: 0 };
  }
}

const known = new Map(); // text → {value} or {error: {line, text}}

/** The value of one document, or what is wrong with how it is written. */
function parsed(library, text) {
  if (!known.has(text)) {
    if (known.size > 500) known.clear();
    const document = library.parseDocument(text);
    const [error] = document.errors;
    if (error) known.set(text, { error: { line: error.linePos?.[0].line ?? 1, text: error.message.split("\n")[0] } });
    else {
      try {
        known.set(text, { value: document.toJS({ maxAliasCount: 20 }) });
      } catch (problem) {
        known.set(text, { error: { line: 1, text: problem.message } });
      }
    }
  }
  return known.get(text);
}

/** The documents of a text with id and value; or the problems of those that say none, and of names that two share. */
function understood(library, text) {
  const problems = [];
  const seen = new Set();
  const found = documents(text).map((one) => {
    const { value, error } = parsed(library, one.text);
    const id = idOf(value, windowed.peek());
    if (error) problems.push({ line: one.line + error.line - 1, text: error.text });
    else if (!id) problems.push({ line: one.line, text: _("An object needs a kind and a metadata.name.") });
    else if (seen.has(id)) problems.push({ line: one.line, text: fill(_("{what} stands here twice."), { what: id }) });
    seen.add(id);
    return { ...one, id, value };
  });
  return { found, problems };
}

/** What differs between a text and the cluster: {changed, made, gone}, or {problems}. */
export function look(library, text) {
  const { found, problems } = understood(library, text);
  return problems.length ? { problems } : differences(windowed.peek().objects, found);
}

/** The line of a problem: down the path of keys, as far as they are written, in the document that it is about. */
function lineOf(problem, { line, text }) {
  const rows = text.split("\n");
  let at = 0;
  for (const key of problem.path
    .replace(/^objects\[\d+\]\.?/, "")
    .split(/[.[\]]+/)
    .filter((part) => part && !/^\d+$/.test(part))) {
    const next = rows.findIndex(
      (row, i) =>
        i >= at &&
        row
          .replace(/^[\s-]*/, "")
          .replace(/^"/, "")
          .startsWith(key),
    );
    if (next < 0) break;
    at = next;
  }
  return line + at;
}

/** Problems of objects that were sent together, as lines of the editor. */
const placed = (problems, sent) =>
  problems.map((problem) => {
    const index = Number(problem.path.match(/^objects\[(\d+)\]/)?.[1] ?? 0);
    return { line: sent[index] ? lineOf(problem, sent[index]) : 1, text: problemText(problem) };
  });

/**
 * Make the cluster as the text says, as commands, and run the cycle in view again. `started`: when the last key was
 * pressed.
 */
export async function apply({ changed, made, gone }, started) {
  const refuse = (problems, sent) => (written.value = { state: "refused", problems: placed(problems, sent) });
  written.value = { state: "applied", problems: [] };
  if (!(await mayChange())) return (written.value = { state: "edited", problems: [] });
  const before = new Map(edited);
  for (const one of [...changed, ...made]) edited.set(one.id, one.value);
  for (const id of gone) edited.set(id, null);
  const running = runAgain(started);
  const commands = [
    ["delete", gone.map((id) => ({ value: parts(id) })), _("Deleting")],
    ["create", made, _("Creating")],
    ["update", changed, _("Changing objects")],
  ];
  for (const [kind, sent, label] of commands) {
    if (!sent.length) continue;
    const command = { kind, objects: sent.map(({ value }) => value), ...(kind === "update" && rebased(sent)) };
    const ended = await perform(command, label, { quiet: true });
    if (ended?.state === "done") continue;
    if (isConflict(ended?.problems ?? [])) for (const { id } of sent) overtaken.add(id);
    // What the cluster refuses is not tried again along with the next edit.
    for (const { id } of [...changed, ...made]) before.has(id) ? edited.set(id, before.get(id)) : edited.delete(id);
    return refuse(ended?.problems ?? [{ path: "", rule: _("nothing was changed") }], sent);
  }
  const objects = new Map([...windowed.peek().objects].filter(([id]) => !gone.includes(id)));
  for (const { id, value, text } of [...changed, ...made]) objects.set(id, { manifest: value, text });
  windowed.value = { ...windowed.peek(), objects, total: windowed.peek().total + made.length - gone.length };
  overtaken.clear();
  written.value = { state: "same", problems: [] };
  return running;
}

/** An update writes the fields that were edited since the read. An editor who confirms a conflict overwrites it. */
function rebased(sent) {
  const { objects } = windowed.peek();
  const read = sent.map(({ id }) => objects.get(id).read ?? objects.get(id).manifest);
  return { read, ...(sent.some(({ id }) => overtaken.has(id)) && { overwrite: true }) };
}
