"""The lease lets one worker at a time work on a cluster.

It is kube-scheduler's leader election, with a row as the lock.

All times are the database's, so that differences between the clocks of workers don't matter.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from playground.metrics import stored_tallies
from playground.metrics.definitions import LEASE_TAKEOVERS
from playground.metrics.tally import Tally
from playground.models import Cluster

logger = logging.getLogger(__name__)

# Fractions of the lease's duration: the period of renewals, and the rest below which a renewal is overdue.
RENEW_EVERY = 1 / 8
OVERDUE_BELOW = 2 / 3


class LeaseLostError(Exception):
    """Another worker took over the lease. Uncommitted work of this worker is void."""


@dataclass(frozen=True)
class Lease:
    """The right to write to a cluster, as long as the row has this fencing number and this holder.

    `cluster` is the row at the time when the lease was taken.
    """

    cluster_id: int
    fencing: int
    holder: str
    cluster: Cluster = field(compare=False, repr=False)

    @property
    def key(self) -> dict[str, Any]:
        """Return the arguments that identify the lease in the managers' methods."""
        return {"cluster_id": self.cluster_id, "fencing": self.fencing, "holder": self.holder}


def acquire(cluster_id: int, holder: str) -> Lease | None:
    """Take the lease if it is free or has expired.

    Return None if another worker holds it or there is no such cluster.
    """
    cluster = Cluster.objects.take_free_lease(cluster_id=cluster_id, holder=holder, duration=_duration())
    if cluster is None:
        cluster = Cluster.objects.take_expired_lease(cluster_id=cluster_id, holder=holder, duration=_duration())
        if cluster is None:
            return None
        _count_takeover()
    return Lease(cluster_id, cluster.lease_fencing, holder, cluster)


def write(lease: Lease, **fields: Any) -> None:
    """Update the cluster's row and renew the lease. Raise LeaseLostError if another worker has taken it over."""
    send(lease, **fields)()


def send(lease: Lease, **fields: Any) -> Callable[[], int | None]:
    """Send the update of `write` and return a function that waits for its result.

    That function returns the row's `watched_since`. It raises LeaseLostError if another worker has taken over the
    lease.
    """
    result = Cluster.objects.renew_lease(**lease.key, duration=_duration(), **fields)

    def checked() -> int | None:
        row = result()
        if row is None:
            raise LeaseLostError(lost(lease))
        since: int | None = row[0]
        return since

    return checked


def release(lease: Lease) -> None:
    """Release the lease. Log a warning if it was lost."""
    if not Cluster.objects.release_lease(**lease.key):
        logger.warning("%s", lost(lease))


def lost(lease: Lease) -> str:
    return f"cluster {lease.cluster_id}: another worker holds the lease"


def release_when_done(lease: Lease) -> bool:
    """Release the lease unless a command waits. Return True if it was released.

    A command that is posted at this moment is either seen here or wakes a worker.
    """
    return bool(Cluster.objects.release_lease_when_done(**lease.key))


def is_attended(cluster: Cluster) -> bool:
    """Return True if a worker holds the lease.

    It checks for new commands before it releases the lease, so no other has to be woken.

    The result depends on this machine's clock. If the clock is wrong, the periodic task wakes a worker.
    """
    return bool(cluster.lease_holder) and cluster.lease_expires is not None and cluster.lease_expires > timezone.now()


def _count_takeover() -> None:
    tally = Tally()
    tally.count(LEASE_TAKEOVERS)
    stored_tallies.add_tally(tally)


def _duration() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)
