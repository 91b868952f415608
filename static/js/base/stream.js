/**
 * The client of a cluster's WebSocket (docs/reference/http-api.md): numbered records in order, without gaps.
 *
 * 1. Connect from the last delivered record (`connect`).
 * 2. Handle the messages one after the other (`handleMessage`).
 * 3. If records are missing, fetch them over HTTP first (`fetchMissing`).
 * 4. Deliver each record once, in order (`deliver`).
 * 5. After a lost connection, connect again with growing pauses (`handleClose`).
 */
import { clusterPath, get } from "./api.js";

const FIRST_PAUSE = 500; // ms
const LONGEST_PAUSE = 8000;
const PAGE = 1000;
// Close codes of the server.
const FORBIDDEN = 4403;
const NOT_FOUND = 4404;
const DELETED = 4410;
const TOO_MANY_CONNECTIONS = 4430;
// Events after which the user sees this tab again.
const RETURN_EVENTS = ["focus", "visibilitychange"];

/**
 * Follow one cluster from the record after `after`. Calls `on.records(records)`, `on.matrix(cycle, matrix)` (before the
 * record of that cycle), `on.state(state)`, `on.restored()` and `on.connection("open" | "lost" | "denied" |
 * "deleted")`. Returns the function that ends it.
 */
export function followCluster(id, after, on) {
  let last = after; // number of the last delivered record
  let pause = FIRST_PAUSE;
  let socket = null;
  let timer = 0;
  let hasEnded = false;
  let isDeleted = false;
  let handling = Promise.resolve(); // ends when all messages so far are handled

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${document.body.dataset.ws}clusters/${id}/?after=${last}`);
    socket.addEventListener("open", () => {
      pause = FIRST_PAUSE;
      isDeleted = false;
      on.connection("open");
    });
    // Messages are handled in order, so that missing records are fetched before the next message.
    socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      handling = handling.then(() => handleMessage(message)).catch(() => socket.close());
    });
    socket.addEventListener("close", handleClose);
  }

  async function handleMessage(message) {
    if (hasEnded) return;
    // The revision only falls when the operator restores a backup. The new records then reuse numbers.
    if (message.type === "hello" && message.state.revision < last) return on.restored();
    if (message.type === "hello" || message.type === "state") on.state(message.state);
    if (message.type === "gap") await fetchMissing(message.to);
    if (message.type === "records") {
      if (message.from > last + 1) await fetchMissing(message.from - 1);
      if (message.matrix) on.matrix(message.matrix.cycle, message.matrix);
      deliver(message.records);
    }
  }

  /** Fetch the records up to `to` that the stream has skipped, page by page. */
  async function fetchMissing(to) {
    while (!hasEnded && last < to) {
      const page = await get(`${clusterPath(id, "records")}?after=${last}&limit=${PAGE}&brief=1`);
      if (!page.records.length) return;
      deliver(page.records);
    }
  }

  function deliver(records) {
    const fresh = records.filter((record) => record.seq > last);
    if (!fresh.length) return;
    last = fresh.at(-1).seq;
    on.records(fresh);
  }

  function handleClose(event) {
    if (hasEnded) return;
    if (event.code === DELETED) isDeleted = true;
    // The cluster does not exist, even after another try.
    if (isDeleted) return on.connection("deleted");
    if (event.code === FORBIDDEN || event.code === NOT_FOUND) return on.connection("denied");
    on.connection("lost");
    // Other connections must close first.
    if (event.code === TOO_MANY_CONNECTIONS) pause = LONGEST_PAUSE;
    timer = setTimeout(connect, pause * (0.75 + Math.random() / 2));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }

  /** Connect again when the user returns to this tab, because another tab may have restored the cluster. */
  function connectOnReturn() {
    if (isDeleted && document.visibilityState === "visible" && socket.readyState === WebSocket.CLOSED) connect();
  }

  for (const name of RETURN_EVENTS) addEventListener(name, connectOnReturn);
  connect();
  return () => {
    hasEnded = true;
    for (const name of RETURN_EVENTS) removeEventListener(name, connectOnReturn);
    clearTimeout(timer);
    socket.close();
  };
}
