/** The page of a shared moment: fetches its link, waits for the replay, shows it; and "try it yourself". */
import { signal } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { ApiError, csrfToken, get, clusterPath, problemText, request } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { showTab } from "../base/screen.js";
import { guestOptions, isEmbed, setShareKey } from "../base/guest.js";

const ASK_AGAIN = [80, 120, 200, 300, 500];
const STORED = "playground.shared"; // the link, while its visitor logs in

/** {title, emulates, cursor, cluster}, null while loading. `refusal` is the error of the link. */
export const shared = signal(null);
export const refusal = signal("");
export const trying = signal(false);

const waitBefore = (turn) => new Promise((done) => setTimeout(done, ASK_AGAIN[Math.min(turn, ASK_AGAIN.length - 1)]));

/** Return what the address names: {id} or {link}. */
function readLink() {
  const id = document.body.dataset.share;
  if (id) return { id };
  // Browsers may forbid storage in an embed, and no login returns there.
  if (!isEmbed && !location.hash) {
    const stored = sessionStorage.getItem(STORED);
    sessionStorage.removeItem(STORED);
    if (stored) history.replaceState(null, "", location.pathname + stored);
  }
  return { link: location.hash.slice(1) };
}

const send = (path, options) =>
  request(path, { ...options, method: "POST", headers: { ...options.headers, "Content-Type": "application/json" } });

/** Wait until a cluster has replayed its history. */
async function waitForReplay(ask) {
  for (let turn = 0; ; turn += 1) {
    const state = await ask();
    if (state.state === "idle" || state.state === "paused") return state;
    await waitBefore(turn);
  }
}

/** Return the address of a moment in the user's own cluster. */
function momentAddress(cluster, { cycle, event, ...pins }) {
  const query = new URLSearchParams({ cluster });
  if (cycle !== undefined) query.set("t", event === undefined ? cycle : `${cycle}.${event}`);
  for (const [name, value] of Object.entries(pins)) query.set(name, value);
  return `/?${query}`;
}

export async function startShared() {
  window.addEventListener("hashchange", () => location.reload());
  try {
    const link = readLink();
    if (link.link === "")
      throw new ApiError(0, [{ path: "", rule: _("This link is incomplete: there is nothing after the #.") }]);
    const opened = await send("shares/open/", { ...guestOptions(), body: JSON.stringify(link) });
    setShareKey(opened.key);
    document.title = `${opened.title} · ${document.title}`;
    shared.value = opened;
    await waitForReplay(() => get(clusterPath(opened.cluster)));
    const { cycle, event, pod = null, node = null, plugin = null, view } = opened.cursor;
    if (view) showTab(view);
    await openCluster(opened.cluster, { cycle, step: event, pinned: { pod, node, plugin } });
  } catch (error) {
    refusal.value =
      error.status === 404
        ? _("This snapshot does not exist. Its owner may have deleted it.")
        : (error.problems ?? [{ rule: error.message }]).map(problemText).join("\n");
  }
}

/** Log in and return. The fragment is stored here, because no server may receive it. */
function logIn() {
  if (location.hash) sessionStorage.setItem(STORED, location.hash);
  location.assign(`${document.body.dataset.login}?next=${encodeURIComponent(location.pathname)}`);
}

/** Create the visitor's own cluster at the same moment. An embed opens a new page for it. */
export async function createOwnCluster() {
  if (trying.peek() || !shared.peek()) return;
  trying.value = true;
  try {
    const own = { credentials: "same-origin" };
    const made = await send("shares/try/", {
      ...own,
      headers: { "X-CSRFToken": csrfToken() },
      body: JSON.stringify(readLink()),
    });
    await waitForReplay(() => request(clusterPath(made.cluster.id), own));
    location.assign(momentAddress(made.cluster.id, made.cursor));
  } catch (error) {
    trying.value = false;
    if (error.status === 403 && document.body.dataset.login) logIn();
    else reportError(error);
  }
}

/** Return the address of the same moment on its own page. */
export const wholePage = () => `${location.pathname}${location.hash}`;
