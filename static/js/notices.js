/** Short messages over the page. Errors stay until they are closed; the rest leave by themselves. */
import { problemText } from "./api.js";
import { words } from "./i18n.js";
import { store } from "./store.js";

const STAY = 6000;
const STAY_TO_ACT = 20000;
let next = 1;

export function dismiss(id) {
  store.notices.value = store.notices.value.filter((notice) => notice.id !== id);
}

/** `actions`: [{label, run}], buttons inside the notice, or one of them as `action`; who may want one gets longer to read. */
export function notify(text, { tone = "info", action = null, actions = action ? [action] : [] } = {}) {
  const id = next;
  next += 1;
  const others = store.notices.value.filter((notice) => notice.text !== text);
  store.notices.value = [...others.slice(-2), { id, tone, text, actions }];
  if (tone !== "error") setTimeout(() => dismiss(id), actions.length ? STAY_TO_ACT : STAY);
  return id;
}

/** Tell what went wrong, all of its problems; an abort is no fault. Resolves with the notice's id. */
export async function report(error) {
  if (error?.name === "AbortError") return null;
  await words();
  return notify(error.problems ? error.problems.map(problemText).join("\n") : String(error.message ?? error), { tone: "error" });
}
