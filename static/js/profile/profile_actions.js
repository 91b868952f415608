/** The current profile, the draft, and the server's check of the draft. */
import { batch, computed, effect, signal } from "../../vendor/preact.js";
import { get, clusterPath, post } from "../base/api.js";
import { registerDraft, takeDraft } from "../base/drafts.js";
import { _, fill } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import {
  forgetTable,
  addGuess,
  setGuesses,
  storeAnswer,
  profilesOfText,
  stale,
  dropLastGuess,
} from "./effective_plugins.js";
import { loadYaml, parse } from "./yaml_edits.js";
import { store } from "../base/store.js";
import { forkHere, confirmChange } from "../branches/branches.js";
import { forgetRerun, tryDraft } from "./live_rerun.js";
import { performCommand } from "../drive/run.js";

const TYPING_PAUSE = 250;
const PAST = 100; // undoable edits by form
const SAME_EDIT = 700; // ms within which edits of one field count as one

export const profile = {
  config: signal(null), // the current version: {version, yaml, effective, origins, …}
  draft: signal(null), // the text of the draft; null before the first
  revision: signal(0), // counts the changes of the draft from outside the editor
  check: signal(null), // {ok, stage, problems, effective, origins, changes} of the draft
  checking: signal(false),
  sound: signal(null), // the last check without problems
  form: signal(null), // the writable fields: config/form/
  against: signal(0), // the version to compare with; 0 is kube-scheduler's default
  note: signal(""), // the user's note for the new version
  at: signal(0), // index of the profile in the form
  view: signal("form"), // form | yaml | effective | versions
  large: signal(false),
  past: signal([]), // texts before the edits by form
};

/** The draft's plain data: {data, error}; null until the form is ready. */
export const parsed = computed(() =>
  profile.form.value && profile.draft.value !== null ? parse(profile.draft.value) : null,
);

export const edited = computed(
  () => profile.draft.value !== null && profile.draft.value !== profile.config.value?.yaml,
);

let timer = 0;
let turn = 0;
let requested = null; // the text of the newest request
let lastEdit = { what: "", when: 0 };
let waiting = []; // edits by form that wait for the effective profile: {what, change, guess}, in order
const editCallbacks = []; // callbacks for when no edit waits any more

/** Load the current profile; the draft follows it unless it was edited. */
async function loadProfile() {
  const id = store.cluster.peek()?.id;
  if (!id) return;
  const untouched = !edited.peek();
  const config = await get(clusterPath(id, "config"));
  if (store.cluster.peek()?.id !== id) return;
  profile.config.value = config;
  followDraft(id);
  if (untouched) {
    setDraft(config);
    restoreDraft(takeDraft(`profile ${id}`));
  } else if (config.yaml === profile.draft.peek()) forgetRerun();
}

let stopDraft = () => {};

/** Preserve the draft of this cluster across a change of language. */
function followDraft(id) {
  stopDraft();
  const { draft, note, view, at } = profile;
  stopDraft = registerDraft(`profile ${id}`, () =>
    edited.peek() ? { yaml: draft.peek(), note: note.peek(), view: view.peek(), at: at.peek() } : null,
  );
}

/** Restore a preserved draft. */
function restoreDraft(draft) {
  if (!draft) return;
  profile.revision.value += 1;
  profile.note.value = draft.note;
  profile.view.value = draft.view;
  profile.at.value = draft.at;
  typeProfile(draft.yaml);
}

/** Load the form's fields and the library that edits YAML. */
export async function loadForm() {
  const id = store.cluster.peek()?.id;
  if (!id || profile.form.peek()) return;
  try {
    const [form] = await Promise.all([get(clusterPath(id, "config", "form")), loadYaml()]);
    profile.form.value = form;
  } catch (error) {
    reportError(error);
  }
}

function setDraft(config) {
  batch(() => {
    profile.draft.value = config.yaml;
    profile.revision.value += 1;
    profile.check.value = { ok: true, problems: [], effective: config.effective, origins: config.origins };
    dropEdits();
    storeAnswer(config.yaml, config.table, []);
    profile.sound.value = profile.check.value;
    profile.past.value = [];
    profile.note.value = "";
  });
  forgetRerun();
}

function forgetProfile() {
  clearTimeout(timer);
  turn += 1;
  forgetRerun();
  dropEdits();
  forgetTable();
  batch(() => {
    for (const name of ["config", "draft", "check", "sound"]) profile[name].value = null;
    profile.past.value = [];
    profile.note.value = "";
    profile.at.value = 0;
    profile.against.value = 0;
  });
}

/** Check a text. Only the answer to the newest request counts. */
async function checkDraft(yaml) {
  turn += 1;
  const ownTurn = turn;
  requested = yaml;
  profile.checking.value = true;
  let check;
  try {
    check = await post(clusterPath(store.cluster.peek().id, "config", "check"), {
      yaml,
      against: profile.against.peek(),
    });
  } catch (error) {
    check = { ok: false, stage: "", problems: error.problems ?? [{ path: "", message: error.message }] };
  }
  if (ownTurn !== turn) return check;
  requested = null;
  batch(() => {
    profile.checking.value = false;
    profile.check.value = check;
    if (check.ok) profile.sound.value = check;
    if (check.table) storeAnswer(yaml, check.table, waitingGuesses());
  });
  if (check.table) applyEdits();
  else if (waiting.length) {
    dropEdits();
    notify(_("No edit was made, because the effective profile is not known yet."), { tone: "error" });
  }
  return check;
}

/** Set the edited text, and check and try it when the typing pauses. */
export function editProfile(yaml, pause = TYPING_PAUSE) {
  if (yaml === profile.draft.peek()) return;
  profile.draft.value = yaml;
  // A known text, as after an undo, needs no request.
  if (profilesOfText(yaml)) storeAnswer(yaml, profilesOfText(yaml), waitingGuesses());
  checkSoon(yaml, pause);
  if (edited.peek()) tryDraft(yaml);
  else forgetRerun();
}

/** Set a text edited by hand; the server evaluates its effect. */
export function typeProfile(yaml) {
  if (yaml === profile.draft.peek()) return;
  stale.value = true;
  editProfile(yaml);
}

function checkSoon(yaml, pause) {
  clearTimeout(timer);
  if (requested !== yaml) timer = setTimeout(() => checkDraft(yaml), pause);
}

const waitingGuesses = () => waiting.map((edit) => edit.guess);

/**
 * Edit by form: `change` maps the old text to the new one. Consecutive edits of the same `field` are undone together;
 * those of null never. `guessed`, see effective_plugins.js, shows until the server answers.
 */
export function editByForm(field, change, guessed = (profiles) => profiles) {
  addEdit({ what: field, change, guess: guessed, needs: null });
}

/** Edit depending on the effective profile at an index, which `change` gets too. */
export function editPlugins(field, profileIndex, change, guessed) {
  addEdit({ what: field, change, guess: guessed, needs: profileIndex });
}

function addEdit(edit) {
  waiting.push(edit);
  addGuess(edit.guess);
  applyEdits();
}

/** Apply the waiting edits, up to the first that needs an answer of the server. */
function applyEdits() {
  while (waiting.length) {
    const [edit] = waiting;
    const yaml = profile.draft.peek();
    const profiles = edit.needs === null ? null : profilesOfText(yaml);
    if (edit.needs !== null && !profiles) return checkSoon(yaml, 0);
    waiting.shift();
    // A profile deleted meanwhile has no plugins to edit.
    if (edit.needs === null || profiles[edit.needs]) applyEdit(edit, profiles?.[edit.needs]);
  }
  for (const done of editCallbacks.splice(0)) done();
}

function applyEdit({ what, change, needs }, runs) {
  const before = profile.draft.peek();
  let after;
  try {
    after = change(before, runs);
  } catch (error) {
    reportError(error);
    return;
  }
  if (after === before) return;
  const time = performance.now();
  if (what === null || what !== lastEdit.what || time - lastEdit.when > SAME_EDIT)
    profile.past.value = [...profile.past.peek(), before].slice(-PAST);
  lastEdit = { what, when: time };
  profile.revision.value += 1;
  editProfile(after, needs === null && !waiting.length ? TYPING_PAUSE : 0);
}

function dropEdits() {
  waiting = [];
  setGuesses([]);
  for (const done of editCallbacks.splice(0)) done();
}

const whenEditsApplied = () => new Promise((done) => (waiting.length ? editCallbacks.push(done) : done()));

/** Undo the last edit by form. */
export function undoEdit() {
  if (waiting.pop()) {
    dropLastGuess();
    return applyEdits();
  }
  const before = profile.past.peek().at(-1);
  if (before === undefined) return;
  lastEdit = { what: "", when: 0 };
  profile.past.value = profile.past.peek().slice(0, -1);
  profile.revision.value += 1;
  editProfile(before);
}

/** Put a text into the editor without applying it, such as that of an earlier version. */
export function takeAsDraft(yaml) {
  editByForm(
    "version",
    () => yaml,
    () => null,
  );
  profile.view.value = "form";
}

/** Compare with another version; 0 is kube-scheduler's default. */
export function compareWith(version) {
  profile.against.value = version;
  return checkDraft(profile.draft.peek());
}

/** Revert the draft to the current profile. */
export function revertProfile() {
  clearTimeout(timer);
  turn += 1;
  profile.checking.value = false;
  setDraft(profile.config.peek());
}

/** Apply a valid draft from the next cycle on. */
export async function applyProfile() {
  await whenEditsApplied();
  const yaml = profile.draft.peek();
  if (yaml === null || !edited.peek())
    return void notify(_("No change to apply: the profile on the screen is in use."));
  clearTimeout(timer);
  const check = await checkDraft(yaml);
  if (!check.ok) {
    const text = _("The profile has problems and was not applied. Version {n} stays in use.");
    notify(fill(text, { n: profile.config.peek().version }), { tone: "error" });
    return;
  }
  await apply(yaml, profile.note.peek());
}

async function apply(yaml, note) {
  if (!(await confirmChange())) return;
  const command = { kind: "set_config", yaml, ...(note.trim() ? { note: note.trim() } : {}) };
  const ended = await performCommand(command, _("Applying the profile"));
  if (ended?.state !== "done") return;
  await loadProfile();
  if (!edited.peek()) setDraft(profile.config.peek());
  notify(fill(_("Profile version {n} is in use from the next cycle on."), { n: profile.config.peek().version }));
}

/** Apply an earlier version again: a new version with the same text and feature gates. */
export async function restoreVersion(version) {
  try {
    const stored = await get(clusterPath(store.cluster.peek().id, "config", "versions", version));
    const untouched = !edited.peek();
    if (stored.emulates !== store.cluster.peek().emulates) {
      if (!(await confirmChange())) return;
      const gates = stored.emulates.split(" ")[1] ?? "";
      const ended = await performCommand({ kind: "set_gates", gates }, _("Restarting kube-scheduler"));
      if (ended?.state !== "done") return;
    }
    await apply(stored.yaml, fill(_("version {n} again"), { n: version }));
    if (untouched) setDraft(profile.config.peek());
  } catch (error) {
    reportError(error);
  }
}

/** Create a branch at the moment on the screen with this version; the parent keeps its own. */
export async function forkWithVersion(version) {
  try {
    const stored = await get(clusterPath(store.cluster.peek().id, "config", "versions", version));
    const forked = await forkHere(fill(_("profile version {n}"), { n: version }));
    if (forked) await apply(stored.yaml, fill(_("forked with version {n}"), { n: version }));
  } catch (error) {
    reportError(error);
  }
}

// The profile belongs to the cluster and changes with its version; it is loaded when first shown.
let loadedKey = null;
effect(() => {
  const cluster = store.cluster.value;
  const key = cluster ? `${cluster.id} ${cluster.config_version}` : null;
  if (key === loadedKey) return;
  if (loadedKey?.split(" ")[0] !== key?.split(" ")[0]) forgetProfile();
  loadedKey = key;
  if (key) loadProfile().catch(reportError);
});
