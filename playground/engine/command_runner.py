"""Apply a cluster's commands: take the lease, load, apply, commit, publish.

A worker may be killed at any time. Each commit checks the lease's fencing number in its transaction. The next worker
repeats uncommitted work and gets the same bytes.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from django.db import DatabaseError, connection

from playground import logs
from playground.engine import garbage_collection, leases, shutdown
from playground.engine.lease_renewal import LeaseRenewal
from playground.engine.leases import LeaseLostError
from playground.engine.triggers import trigger_commands
from playground.engine.worker_session import WorkerSession
from playground.news.publisher import Publisher

logger = logging.getLogger(__name__)


def apply_commands(cluster_id: int, *, as_guest: bool = False, serve_others: Callable[[], None] | None = None) -> None:
    """Apply all commands that are queued for a cluster. Return at once while another worker holds the lease.

    The steps:

    1. Take the lease (`leases.acquire`) and renew it in another thread (`LeaseRenewal`).
    2. Load the simulation, apply and commit commands, publish their records, release the lease (`WorkerSession`).
    3. Wake a worker if commands are left.
    4. Freeze long-lived objects (`garbage_collection.freeze_long_lived`).

    With `as_guest`, stop after one turn, because the worker has another task. `serve_others` serves another cluster in
    the middle of a long step of the engine.
    """
    lease = leases.acquire(cluster_id, _holder_name())
    if lease is None:
        return
    with logs.about(cluster=cluster_id):
        try:
            with LeaseRenewal(lease, leases.write) as renewal:
                finished = WorkerSession(lease, renewal, Publisher(cluster_id), as_guest, serve_others).run()
            if not finished and not shutdown.requested():
                trigger_commands(cluster_id)
            garbage_collection.freeze_long_lived()
        except LeaseLostError as lost:
            logger.warning("%s", lost)
        except BaseException:
            # Release the lease, so that the next worker need not wait until it expires. That fails if the database has
            # failed.
            connection.close_if_unusable_or_obsolete()
            with suppress(DatabaseError):
                leases.release(lease)
            raise


def _holder_name() -> str:
    """Return a name that no other process or thread has."""
    thread = threading.current_thread()
    name = f"{socket.gethostname()}:{os.getpid()}"
    return name if thread is threading.main_thread() else f"{name}:{thread.native_id}"
