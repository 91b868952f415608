/** The WebSocket of a class, see docs/reference/http-api.md; reconnects by itself. */

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
const FINAL_CODES = [4403, 4404];

/**
 * Connect to a class. Calls `handlers.message(message)` and `handlers.ended()`; returns {send(message), end()}. `send`
 * returns true if there was a connection.
 */
export function connectToClass(id, handlers) {
  let socket = null;
  let wait = FIRST_WAIT;
  let timer = 0;
  let hasEnded = false;

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${document.body.dataset.ws}classes/${id}/`);
    socket.addEventListener("message", (event) => {
      wait = FIRST_WAIT;
      if (!hasEnded) handlers.message(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (hasEnded) return;
      if (FINAL_CODES.includes(event.code)) return handlers.ended();
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }

  connect();
  return {
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    end() {
      hasEnded = true;
      clearTimeout(timer);
      socket.close();
    },
  };
}
