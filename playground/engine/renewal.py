"""Renew the lease beside the work: loading a large cluster takes longer than a lease lasts."""

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from django.conf import settings
from django.db import DatabaseError, connection

from playground.engine import leases
from playground.engine.leases import LeaseLostError

logger = logging.getLogger(__name__)


class AnyLease(Protocol):
    """A lease on a cluster, or on work for one."""

    @property
    def cluster_id(self) -> int: ...


L = TypeVar("L", bound=AnyLease)


class Renewal(Generic[L]):
    """Renews a lease with `write` from a thread of its own while the block runs; `lost` says that it was too late."""

    def __init__(self, lease: L, write: Callable[[L], None]) -> None:
        self.lost = False
        self._lease = lease
        self._write = write
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease-renewal", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _renew(self) -> None:
        try:
            while not self._over.wait(settings.LEASE_SECONDS * leases.RENEW_EVERY):
                try:
                    self._write(self._lease)
                except LeaseLostError:
                    # Also when it was given back a moment ago; the block is over then.
                    self.lost = True
                    return
                except DatabaseError as error:
                    about = {"cluster": self._lease.cluster_id}
                    logger.warning("the lease was not renewed: %s", error, extra=about)
                    # A connection that broke stays broken; the next time makes a new one.
                    connection.close()
        finally:
            connection.close()
