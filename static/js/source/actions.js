/** The source panel: a window of the cluster's objects as YAML, in sync both ways. */
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

const MOST_EDITED = 400; // objects per trial

/**
 * {offset, total, search, objects: Map id → {manifest, text, read?}, kinds, own}; null until loaded. `turn` counts the
 * reads. `read` is the manifest before an edit, if the cluster has a newer one.
 */
export const windowed = signal(null);
/** "same" as the cluster, "edited", being "applied", or "refused" with problems [{line, text}]. */
export const written = signal({ state: "same", problems: [] });
/** The re-run of the cycle on the screen with the edits, in the shape of profile/rerun.js. */
export const again = signal({ state: "none", answer: null, problems: [], took: 0 });

/** A configuration among the documents, which is no object: {past, from, to}; null for none. */
export const configuration = signal(null);

const overtaken = new Set(); // ids whose edit was refused because another client had changed the same field
const edited = new Map(); // id → manifest, null for deleted: all edits since the page loaded
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

/** Read the same window again after a change in the cluster. */
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

const translations = new Map(); // text → its translation by the server

/** Return true if a document that is no object is a configuration: it is then reported, and nothing is applied. */
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

/** Run the cycle on the screen again with all edits; without edits, only prepare the server. */
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

/** Return the value of one document, or its syntax error. */
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

/** Return the documents of a text with id and value; or the problems of unnamed and duplicate ones. */
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

/** Return the differences between a text and the cluster: {changed, made, gone}, or {problems}. */
export function look(library, text) {
  const { found, problems } = understood(library, text);
  return problems.length ? { problems } : differences(windowed.peek().objects, found);
}

/** Return the line of a problem: follow the path of keys, as far as they are written, in its document. */
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

/** Return problems of objects sent together, as lines of the editor. */
const placed = (problems, sent) =>
  problems.map((problem) => {
    const index = Number(problem.path.match(/^objects\[(\d+)\]/)?.[1] ?? 0);
    return { line: sent[index] ? lineOf(problem, sent[index]) : 1, text: problemText(problem) };
  });

/**
 * Apply the text to the cluster by commands, and run the cycle on the screen again. `started`: time of the last key.
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
    // A refused object is not sent again with the next edit.
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

/** Return updates with the fields edited since the read. After a conflict, a confirmed edit overwrites them. */
function rebased(sent) {
  const { objects } = windowed.peek();
  const read = sent.map(({ id }) => objects.get(id).read ?? objects.get(id).manifest);
  return { read, ...(sent.some(({ id }) => overtaken.has(id)) && { overwrite: true }) };
}
