/**
 * Short messages over the page. Errors stay until the user closes them or the request succeeds. Others close after a
 * while, and all close with their cluster.
 */
import { effect } from "../../vendor/preact.js";
import { problemText, onSuccess } from "./api.js";
import { loadMessages } from "./i18n.js";
import { store } from "./store.js";

const STAY = 6000;
const STAY_TO_ACT = 20000;
let nextId = 1;

export function dismiss(id) {
  store.notices.value = store.notices.value.filter((notice) => notice.id !== id);
}

const keepNotices = (isWanted) => {
  const remaining = store.notices.peek().filter(isWanted);
  if (remaining.length < store.notices.peek().length) store.notices.value = remaining;
};

// A request that succeeds closes the notices of its earlier failures.
onSuccess((request) => keepNotices((notice) => notice.request !== request));

// Notices of another cluster close, except the one that no cluster is open.
effect(() => {
  const open = store.cluster.value?.id ?? null;
  if (open !== null) keepNotices((notice) => notice.cluster === null || notice.cluster === open);
});

/** Show a notice. `actions`: [{label, run}], its buttons, or a single `action`; with buttons it stays longer. */
export function notify(text, { tone = "info", action = null, actions = action ? [action] : [], request = null } = {}) {
  const id = nextId;
  nextId += 1;
  const others = store.notices.value.filter((notice) => notice.text !== text);
  store.notices.value = [
    ...others.slice(-2),
    { id, tone, text, actions, request, cluster: store.cluster.peek()?.id ?? null },
  ];
  if (tone !== "error") setTimeout(() => dismiss(id), actions.length ? STAY_TO_ACT : STAY);
  return id;
}

/** Report an error with all its problems; an abort is no error. Resolves with the notice's id. */
export async function reportError(error) {
  if (error?.name === "AbortError") return null;
  await loadMessages();
  return notify(error.problems ? error.problems.map(problemText).join("\n") : String(error.message ?? error), {
    tone: "error",
    request: error.request ?? null,
  });
}
