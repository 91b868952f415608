"""Apply a cluster's commands: lease, load, apply, commit, publish.

A worker may be killed anywhere. What it committed is there, with the lease's fencing number checked in the same
transaction; what it did not commit did not happen, and the next worker does it, to the same bytes.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from django.db import DatabaseError, connection

from playground import logs
from playground.engine import collector, leases, shutdown
from playground.engine.leases import LeaseLostError
from playground.engine.renewal import Renewal
from playground.engine.turn import Turn
from playground.engine.wake import wake
from playground.news.publisher import Publisher

logger = logging.getLogger(__name__)


def drain(cluster_id: int, *, as_guest: bool = False, let_others: Callable[[], None] | None = None) -> None:
    """Apply all that is queued for a cluster. Returns at once while another worker does.

    As a guest of a worker that has something else to do it stays for one turn. `let_others` gives another cluster a
    turn; it is called in the middle of long steps of the engine.
    """
    lease = leases.acquire(cluster_id, _holder())
    if lease is None:
        return
    with logs.about(cluster=cluster_id):
        try:
            with Renewal(lease, leases.write) as renewal:
                finished = Turn(lease, renewal, Publisher(cluster_id), as_guest, let_others).run()
            if not finished and not shutdown.requested():
                wake(cluster_id)
            collector.set_aside()
        except LeaseLostError as lost:
            logger.warning("%s", lost)
        except BaseException:
            # The next worker need not wait until the lease runs out; but if it was the database that failed, it has to.
            connection.close_if_unusable_or_obsolete()
            with suppress(DatabaseError):
                leases.release(lease)
            raise


def _holder() -> str:
    """Nobody else's name, also among threads."""
    thread = threading.current_thread()
    name = f"{socket.gethostname()}:{os.getpid()}"
    return name if thread is threading.main_thread() else f"{name}:{thread.native_id}"
