"""The web process: `python -m playground.local.web FD GATE SCHEDULE` serves on a socket the supervisor opened.

The supervisor keeps that socket open: a browser that connects while this process is restarted waits, and does not fail.
GATE is the end of a pipe, whose other end is closed when the database is ready: nothing is served before. SCHEDULE is
the file of beat, which is a thread here.
"""

import gc
import os
import socket
import sys

import uvicorn
from django.core.exceptions import ImproperlyConfigured

from playground.limits import KEEP_ALIVE_SECONDS, SOCKET_BYTES

# An open page holds a WebSocket for as long as it is open; it reconnects by itself.
GRACE_SECONDS = 2


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    config = uvicorn.Config(
        "playground.asgi:application",
        lifespan="off",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        # Every frame goes to every open page, and would be compressed for each of them anew.
        ws_per_message_deflate=False,
        # Nothing that a page sends is nearly as large.
        ws_max_size=SOCKET_BYTES,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    gate = int(sys.argv[2])
    # Nothing of what is imported is garbage; looking for some takes a tenth of the start.
    gc.disable()
    try:
        # Not above: what is done apart reads this module, too.
        from . import beat

        config.load()
    except ImproperlyConfigured as error:
        # Whoever prepares the database meets the same and says so; then this process is ended before it gets on.
        os.read(gate, 1)
        sys.exit(str(error))
    gc.enable()
    os.read(gate, 1)
    beat.begin(sys.argv[3])
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
