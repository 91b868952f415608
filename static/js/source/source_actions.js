/** The source panel: a window of the cluster's objects as YAML, in sync both ways. */
import { signal } from "../../vendor/preact.js";
import { get, clusterPath, post, problemText } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { findDifferences, splitDocuments, idOf } from "./yaml_documents.js";
import { store } from "../base/store.js";
import { toYaml } from "../base/yaml.js";
import { confirmChange } from "../branches/branches.js";
import { isConflict, loadKinds } from "../objects/object_actions.js";
import { translateConfiguration } from "../profile/legacy_config.js";
import { performCommand } from "../drive/run.js";

const MOST_EDITED = 400; // objects per trial

/**
 * {offset, total, search, objects: Map id → {manifest, text, read?}, kinds, own}; null until loaded. `read` is
 * the manifest before an edit, if the cluster has a newer one.
 */
export const objectWindow = signal(null);
/** "same" as the cluster, "edited", being "applied", or "refused" with problems [{line, text}]. */
export const writeState = signal({ state: "same", problems: [] });
/** The re-run of the cycle on the screen with the edits, in the shape of profile/live_rerun.js. */
export const rerun = signal({ state: "none", answer: null, problems: [], took: 0 });

/** A configuration among the documents, which is no object: {past, from, to}; null for none. */
export const configuration = signal(null);

const overtaken = new Set(); // ids whose edit was refused because another client had changed the same field
const editedObjects = new Map(); // id → manifest, null for deleted: all edits since the page loaded
let reading = 0;

const objectReference = (id) => {
  const [kind, key] = id.split(/ (.*)/);
  const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
  return { kind, name, ...(namespace ? { namespace } : {}) };
};

/** Read objects from `offset` on, or those `near` one: {kind, key}. */
export async function readWindow({ offset = 0, search = "", near = null } = {}) {
  reading += 1;
  const ownReading = reading;
  const { id } = store.cluster.peek();
  const query = new URLSearchParams(near ? { ...near } : { offset, search });
  try {
    const [page, known] = await Promise.all([get(`${clusterPath(id, "source")}?${query}`), loadKinds()]);
    if (ownReading !== reading || store.cluster.peek()?.id !== id) return;
    const objects = new Map(
      page.objects.map(({ kind, key, manifest }) => [`${kind} ${key}`, { manifest, text: toYaml(manifest) }]),
    );
    for (const [objectId, { manifest }] of objects)
      if (editedObjects.has(objectId)) editedObjects.set(objectId, manifest);
    const { offset: from, total, own } = page;
    objectWindow.value = { offset: from, total, search: near ? "" : search, objects, kinds: known, own };
  } catch (error) {
    reportError(error);
  }
}

/** Read the same window again after a change in the cluster. */
export const rereadWindow = () => objectWindow.peek() && readWindow(objectWindow.peek());

export function forgetSource() {
  reading += 1;
  editedObjects.clear();
  overtaken.clear();
  objectWindow.value = null;
  writeState.value = { state: "same", problems: [] };
  configuration.value = null;
  rerun.value = { state: "none", answer: null, problems: [], took: 0 };
}

const translations = new Map(); // text → its translation by the server

/** Return true if a document that is no object is a configuration: it is then reported, and nothing is applied. */
export async function findConfiguration(library, text) {
  const { objects, kinds, own } = objectWindow.peek();
  const unknown = splitDocuments(text).find((document) => {
    const id = idOf(parseDocument(library, document.text).value, { kinds: kinds, own });
    return !id || (!objects.has(id) && !(id.split(" ")[0] in kinds));
  });
  if (unknown && !translations.has(unknown.text)) {
    if (translations.size > 50) translations.clear();
    translations.set(unknown.text, await translateConfiguration(unknown.text));
  }
  const past = unknown && translations.get(unknown.text);
  configuration.value = past?.what ? { past, from: unknown.from, to: unknown.to } : null;
  return configuration.value;
}

/** Run the cycle on the screen again with all edits; without edits, only prepare the server. */
export async function rerunWithEdits(started = performance.now()) {
  const number = store.shown.peek()?.record.cycle.number;
  if (!number || editedObjects.size > MOST_EDITED) return;
  rerun.value = { ...rerun.peek(), state: "asking" };
  const objects = [...editedObjects.values()].filter(Boolean);
  const deleted = [...editedObjects].filter(([, manifest]) => !manifest).map(([id]) => objectReference(id));
  try {
    const answer = await post(clusterPath(store.cluster.peek().id, "cycles", number, "again"), {
      objects,
      delete: deleted,
    });
    rerun.value = editedObjects.size
      ? { state: "there", answer, problems: [], took: performance.now() - started }
      : { state: "none", answer: null, problems: [], took: 0 };
  } catch (error) {
    rerun.value = editedObjects.size
      ? { ...rerun.peek(), state: "refused", problems: error.problems ?? [{ path: "", rule: error.message }] }
      : { state: "none", answer: null, problems: [], took: 0 };
  }
}

const known = new Map(); // text → {value} or {error: {line, text}}

/** Return the value of one document, or its syntax error. */
function parseDocument(library, text) {
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
function parseObjects(library, text) {
  const problems = [];
  const seenIds = new Set();
  const objects = splitDocuments(text).map((document) => {
    const { value, error } = parseDocument(library, document.text);
    const id = idOf(value, objectWindow.peek());
    if (error) problems.push({ line: document.line + error.line - 1, text: error.text });
    else if (!id) problems.push({ line: document.line, text: _("An object needs a kind and a metadata.name.") });
    else if (seenIds.has(id))
      problems.push({ line: document.line, text: fill(_("{what} appears twice. Remove one of them."), { what: id }) });
    seenIds.add(id);
    return { ...document, id, value };
  });
  return { found: objects, problems };
}

/** Return the differences between a text and the cluster: {changed, made, gone}, or {problems}. */
export function compareWithCluster(library, text) {
  const { found: objects, problems } = parseObjects(library, text);
  return problems.length ? { problems } : findDifferences(objectWindow.peek().objects, objects);
}

/** Return the line of a problem: follow the path of keys, as far as they are written, in its document. */
function lineOf(problem, { line, text }) {
  const rows = text.split("\n");
  let rowIndex = 0;
  for (const key of problem.path
    .replace(/^objects\[\d+\]\.?/, "")
    .split(/[.[\]]+/)
    .filter((part) => part && !/^\d+$/.test(part))) {
    const next = rows.findIndex(
      (row, i) =>
        i >= rowIndex &&
        row
          .replace(/^[\s-]*/, "")
          .replace(/^"/, "")
          .startsWith(key),
    );
    if (next < 0) break;
    rowIndex = next;
  }
  return line + rowIndex;
}

/** Return problems of objects sent together, as lines of the editor. */
const placeProblems = (problems, sent) =>
  problems.map((problem) => {
    const index = Number(problem.path.match(/^objects\[(\d+)\]/)?.[1] ?? 0);
    return { line: sent[index] ? lineOf(problem, sent[index]) : 1, text: problemText(problem) };
  });

/**
 * Apply the text to the cluster by commands, and run the cycle on the screen again. `started`: time of the last key.
 */
export async function applyText({ changed, made, gone }, started) {
  const refuse = (problems, sent) => (writeState.value = { state: "refused", problems: placeProblems(problems, sent) });
  writeState.value = { state: "applied", problems: [] };
  if (!(await confirmChange())) return (writeState.value = { state: "edited", problems: [] });
  const before = new Map(editedObjects);
  for (const object of [...changed, ...made]) editedObjects.set(object.id, object.value);
  for (const id of gone) editedObjects.set(id, null);
  const running = rerunWithEdits(started);
  const commands = [
    ["delete", gone.map((id) => ({ value: objectReference(id) })), _("Deleting")],
    ["create", made, _("Creating")],
    ["update", changed, _("Changing objects")],
  ];
  for (const [kind, sent, label] of commands) {
    if (!sent.length) continue;
    const command = { kind, objects: sent.map(({ value }) => value), ...(kind === "update" && updateOptions(sent)) };
    const ended = await performCommand(command, label, { quiet: true });
    if (ended?.state === "done") continue;
    if (isConflict(ended?.problems ?? [])) for (const { id } of sent) overtaken.add(id);
    // A refused object is not sent again with the next edit.
    for (const { id } of [...changed, ...made])
      before.has(id) ? editedObjects.set(id, before.get(id)) : editedObjects.delete(id);
    return refuse(ended?.problems ?? [{ path: "", rule: _("no change was made") }], sent);
  }
  const objects = new Map([...objectWindow.peek().objects].filter(([id]) => !gone.includes(id)));
  for (const { id, value, text } of [...changed, ...made]) objects.set(id, { manifest: value, text });
  objectWindow.value = {
    ...objectWindow.peek(),
    objects,
    total: objectWindow.peek().total + made.length - gone.length,
  };
  overtaken.clear();
  writeState.value = { state: "same", problems: [] };
  return running;
}

/** Return updates with the fields edited since the read. After a conflict, a confirmed edit overwrites them. */
function updateOptions(sent) {
  const { objects } = objectWindow.peek();
  const read = sent.map(({ id }) => objects.get(id).read ?? objects.get(id).manifest);
  return { read, ...(sent.some(({ id }) => overtaken.has(id)) && { overwrite: true }) };
}
