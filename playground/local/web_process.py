"""The web process: `python -m playground.local.web_process FD GATE SCHEDULE`.

FD is the listening socket. The supervisor keeps it open, so a browser that connects during a restart waits and does not
fail. GATE is the reading end of a pipe. The supervisor closes the other end when the database is ready, and only then
this process serves. SCHEDULE is the schedule file of Celery beat, which is a thread of this process.
"""

import gc
import os
import socket
import sys

import uvicorn
from django.core.exceptions import ImproperlyConfigured

from playground.limits import KEEP_ALIVE_SECONDS, SOCKET_BYTES

# Browsers keep their WebSockets open and reconnect after a restart, so waiting for them is useless.
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
        # Each message goes to all browsers of a cluster, and would be compressed for each of them again.
        ws_per_message_deflate=False,
        ws_max_size=SOCKET_BYTES,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    gate = int(sys.argv[2])
    # Modules hold no garbage, and collections would take a tenth of the start.
    gc.disable()
    try:
        # A local import, because the fork server of `playground.sandbox` imports this module, too.
        from . import beat_thread

        config.load()
    except ImproperlyConfigured as error:
        # The preparation of the database reports the same error and the supervisor ends this process.
        os.read(gate, 1)
        sys.exit(str(error))
    gc.enable()
    os.read(gate, 1)
    beat_thread.start_beat(sys.argv[3])
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
