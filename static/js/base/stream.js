/** Client of the WebSocket (docs/reference/http-api.md). It reconnects and fetches missed records in order. */
import { get, of } from "./api.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
const PAGE = 1000;
// Events after which the user sees this tab again.
const RETURNS = ["focus", "visibilitychange"];

/**
 * Follow one cluster from the record after `after`. Calls `on.records(records)`, `on.matrix(cycle, matrix)` (before the
 * record of that cycle), `on.state(state)`, `on.restored()` and `on.connection("open" | "lost" | "denied" |
 * "deleted")`. Returns the function that ends it.
 */
export function follow(id, after, on) {
  let last = after;
  let wait = FIRST_WAIT;
  let socket = null;
  let timer = 0;
  let ended = false;
  let deleted = false;
  let queue = Promise.resolve();

  function take(records) {
    const fresh = records.filter((record) => record.seq > last);
    if (!fresh.length) return;
    last = fresh.at(-1).seq;
    on.records(fresh);
  }

  /** Fetch the records that the stream has skipped, page by page. */
  async function catchUp(to) {
    while (!ended && last < to) {
      const page = await get(`${of(id, "records")}?after=${last}&limit=${PAGE}&brief=1`);
      if (!page.records.length) return;
      take(page.records);
    }
  }

  async function handle(frame) {
    if (ended) return;
    // The revision only falls when the operator restores a backup. The new records then reuse numbers.
    if (frame.type === "hello" && frame.state.revision < last) return on.restored();
    if (frame.type === "hello" || frame.type === "state") on.state(frame.state);
    if (frame.type === "gap") await catchUp(frame.to);
    if (frame.type === "records") {
      if (frame.from > last + 1) await catchUp(frame.from - 1);
      if (frame.matrix) on.matrix(frame.matrix.cycle, frame.matrix);
      take(frame.records);
    }
  }

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${document.body.dataset.ws}clusters/${id}/?after=${last}`);
    socket.addEventListener("open", () => {
      wait = FIRST_WAIT;
      deleted = false;
      on.connection("open");
    });
    // Frames are handled in order, so that missed records are fetched before the next frame.
    socket.addEventListener("message", (event) => {
      const frame = JSON.parse(event.data);
      queue = queue.then(() => handle(frame)).catch(() => socket.close());
    });
    socket.addEventListener("close", (event) => {
      if (ended) return;
      if (event.code === 4410) deleted = true;
      // The cluster does not exist, even after another try.
      if (deleted) return on.connection("deleted");
      if (event.code === 4403 || event.code === 4404) return on.connection("denied");
      on.connection("lost");
      // Too many connections are open; others must close first.
      if (event.code === 4430) wait = LONGEST_WAIT;
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }

  /** Reconnect when the user returns to this tab, because another tab may have restored the cluster. */
  function lookAgain() {
    if (deleted && document.visibilityState === "visible" && socket.readyState === WebSocket.CLOSED) connect();
  }

  for (const coming of RETURNS) addEventListener(coming, lookAgain);
  connect();
  return () => {
    ended = true;
    for (const coming of RETURNS) removeEventListener(coming, lookAgain);
    clearTimeout(timer);
    socket.close();
  };
}
