/** The WebSocket of docs/api.md: numbered records in order, without gaps; reconnects and catches up by itself. */
import { get, of } from "./api.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
const PAGE = 1000;
// Somebody looks at this tab again.
const RETURNS = ["focus", "visibilitychange"];

/**
 * Follow one cluster from the record after `after`. `on.records(records)`, `on.matrix(cycle, matrix)` (before the
 * record of that cycle), `on.state(state)`, `on.restored()` and `on.connection("open" | "lost" | "denied" | "deleted")`
 * are called; returns a function that ends it.
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

  /** Ask for what the stream left out, page by page. */
  async function catchUp(to) {
    while (!ended && last < to) {
      const page = await get(`${of(id, "records")}?after=${last}&limit=${PAGE}&brief=1`);
      if (!page.records.length) return;
      take(page.records);
    }
  }

  async function handle(frame) {
    if (ended) return;
    // Records only become fewer when the operator restores a backup. The new ones have numbers that were given before.
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
    // Frames are handled one after the other, so that a catch-up finishes before what follows it.
    socket.addEventListener("message", (event) => {
      const frame = JSON.parse(event.data);
      queue = queue.then(() => handle(frame)).catch(() => socket.close());
    });
    socket.addEventListener("close", (event) => {
      if (ended) return;
      if (event.code === 4410) deleted = true;
      // Also when it is asked for again: there still is no such cluster.
      if (deleted) return on.connection("deleted");
      if (event.code === 4403 || event.code === 4404) return on.connection("denied");
      on.connection("lost");
      // Too many are open: others have to be closed first.
      if (event.code === 4430) wait = LONGEST_WAIT;
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }

  /** Who comes back to this tab may have brought the cluster back in another. */
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
