/** The profile in use, the draft in the editor, and what the server thinks of the draft. */
import { batch, signal } from "../../vendor/preact.js";
import { get, of, post } from "../api.js";
import { _, fill } from "../i18n.js";
import { notify } from "../notices.js";
import { store } from "../store.js";
import { perform } from "./run.js";

const TYPING_PAUSE = 300;

export const profile = {
  config: signal(null), // {version, yaml, effective}: what is in use
  draft: signal(null), // the editor's text; null: nothing opened yet
  revision: signal(0), // counts the times that the draft was set from outside the editor
  check: signal(null), // {ok, stage, problems, effective}: of the draft
  checking: signal(false),
};

let timer = 0;
let turn = 0;

/** Read the profile in use; the draft follows it unless it was edited. */
export async function loadProfile() {
  const id = store.cluster.peek()?.id;
  if (!id) return;
  const untouched = profile.draft.peek() === null || profile.draft.peek() === profile.config.peek()?.yaml;
  const config = await get(of(id, "config"));
  if (store.cluster.peek()?.id !== id) return;
  profile.config.value = config;
  if (untouched) {
    setDraft(config);
  }
}

function setDraft(config) {
  batch(() => {
    profile.draft.value = config.yaml;
    profile.revision.value += 1;
    profile.check.value = { ok: true, problems: [], effective: config.effective };
  });
}

export function forgetProfile() {
  clearTimeout(timer);
  turn += 1;
  profile.config.value = null;
  profile.draft.value = null;
  profile.check.value = null;
}

async function ask(yaml) {
  turn += 1;
  const mine = turn;
  profile.checking.value = true;
  try {
    const check = await post(of(store.cluster.peek().id, "config", "check"), { yaml });
    if (mine === turn) profile.check.value = check;
    return check;
  } catch (error) {
    const check = { ok: false, stage: "", problems: error.problems ?? [{ path: "", message: error.message }] };
    if (mine === turn) profile.check.value = check;
    return check;
  } finally {
    if (mine === turn) profile.checking.value = false;
  }
}

/** The text was edited: check it when the typing pauses. */
export function editProfile(yaml) {
  if (yaml === profile.draft.peek()) return;
  profile.draft.value = yaml;
  clearTimeout(timer);
  timer = setTimeout(() => ask(yaml), TYPING_PAUSE);
}

/** Back to the profile in use. */
export function revertProfile() {
  clearTimeout(timer);
  setDraft(profile.config.peek());
}

/** Use the draft from the next cycle on, if it is valid. */
export async function applyProfile() {
  const yaml = profile.draft.peek();
  if (yaml === null || yaml === profile.config.peek()?.yaml) return;
  clearTimeout(timer);
  const check = await ask(yaml);
  if (!check.ok) {
    const text = _("Not applied: the profile has problems. Version {n} stays in use.");
    notify(fill(text, { n: profile.config.peek().version }), { tone: "error" });
    return;
  }
  const ended = await perform({ kind: "set_config", yaml }, _("Applying the profile"));
  if (ended?.state !== "done") return;
  await loadProfile();
  notify(fill(_("Profile version {n} is in use from the next cycle on."), { n: profile.config.peek().version }));
}
