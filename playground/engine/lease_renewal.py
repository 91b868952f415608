"""Lease renewal in a thread, because loading a large cluster takes longer than a lease lasts."""

import logging
import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from django.conf import settings
from django.db import Error, connection

from playground.engine import leases
from playground.engine.leases import LeaseLostError

logger = logging.getLogger(__name__)


class AnyLease(Protocol):
    """A lease on a cluster, or on a job for one."""

    @property
    def cluster_id(self) -> int: ...


L = TypeVar("L", bound=AnyLease)


class LeaseRenewal(Generic[L]):
    """A context manager that renews a lease with `write` in another thread. `lost` is True after a failed renewal."""

    def __init__(self, lease: L, write: Callable[[L], None]) -> None:
        self.lost = False
        self._lease = lease
        self._write = write

    def __enter__(self) -> Self:
        _renewer.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _renewer.remove(self)

    def renew(self) -> None:
        if self.lost:
            return
        try:
            self._write(self._lease)
        except LeaseLostError:
            self.lost = True
        except Error as error:
            about = {"cluster": self._lease.cluster_id}
            logger.warning("the lease was not renewed: %s", error, extra=about)
            # Close the broken connection. The next renewal opens a new one.
            connection.close()


class _Renewer:
    """The thread that renews all leases of this process. It is reused, because each step of the engine needs it."""

    def __init__(self) -> None:
        # The lock is held during writes, so no renewal is under way after `remove` returned.
        self._changed = threading.Condition()
        self._at_work: set[LeaseRenewal[Any]] = set()
        self._thread: threading.Thread | None = None
        self._next = 0.0

    def add(self, renewal: LeaseRenewal[Any]) -> None:
        with self._changed:
            self._at_work.add(renewal)
            if self._thread is None or not self._thread.is_alive():
                self._next = time.monotonic() + _renewal_seconds()
                self._thread = threading.Thread(target=self._run, name="lease-renewal", daemon=True)
                self._thread.start()
            elif self._next > time.monotonic() + _renewal_seconds():
                self._changed.notify()

    def remove(self, renewal: LeaseRenewal[Any]) -> None:
        with self._changed:
            self._at_work.discard(renewal)

    def _run(self) -> None:
        with self._changed:
            while True:
                self._next = time.monotonic() + _renewal_seconds()
                if self._changed.wait(_renewal_seconds()):
                    continue  # the lease's duration was reduced
                for renewal in self._at_work:
                    renewal.renew()
                connection.close()


def _renewal_seconds() -> float:
    return settings.LEASE_SECONDS * leases.RENEW_EVERY


def _replace_renewer() -> None:
    global _renewer
    _renewer = _Renewer()


_renewer = _Renewer()
# Threads don't survive a fork, so the child needs a new renewer.
os.register_at_fork(after_in_child=_replace_renewer)
