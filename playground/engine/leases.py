"""The lease: one worker at a time works on a cluster. It is kube-scheduler's leader election, with a row as the lock.

All times are the database's, so that the clocks of workers do not matter.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from playground.metrics import tallies
from playground.metrics.definitions import LEASE_TAKEOVERS
from playground.metrics.tally import Tally
from playground.models import Cluster

logger = logging.getLogger(__name__)

# Of the lease's duration: how often it is renewed, and how much may be left of one that is renewed in time.
RENEW_EVERY = 1 / 8
OVERDUE_BELOW = 2 / 3


class LeaseLostError(Exception):
    """Another worker took the lease over: whatever this one has not committed did not happen."""


@dataclass(frozen=True)
class Lease:
    """The right to write to a cluster, for as long as the row still shows this fencing number and this holder.

    `cluster` is the row as it was when the lease was taken.
    """

    cluster_id: int
    fencing: int
    holder: str
    cluster: Cluster = field(compare=False, repr=False)

    @property
    def key(self) -> dict[str, Any]:
        """The arguments that name the lease in the managers' methods."""
        return {"cluster_id": self.cluster_id, "fencing": self.fencing, "holder": self.holder}


def acquire(cluster_id: int, holder: str) -> Lease | None:
    """Take the lease if it is free or has run out; None while another worker holds it, or without the cluster."""
    cluster = Cluster.objects.take_free_lease(cluster_id=cluster_id, holder=holder, duration=_duration())
    if cluster is None:
        cluster = Cluster.objects.take_expired_lease(cluster_id=cluster_id, holder=holder, duration=_duration())
        if cluster is None:
            return None
        _count_takeover()
    return Lease(cluster_id, cluster.lease_fencing, holder, cluster)


def write(lease: Lease, **fields: Any) -> None:
    """Update the cluster's row and renew the lease. Raises LeaseLostError if it is no longer ours."""
    send(lease, **fields)()


def send(lease: Lease, **fields: Any) -> Callable[[], int | None]:
    """The same; whether it is ours is looked at when the answer is called, which tells the row's `watched_since`."""
    result = Cluster.objects.renew_lease(**lease.key, duration=_duration(), **fields)

    def checked() -> int | None:
        row = result()
        if row is None:
            raise LeaseLostError(lost(lease))
        since: int | None = row[0]
        return since

    return checked


def release(lease: Lease) -> None:
    """Give the lease back; if it was lost, that is logged, and nothing happens."""
    if not Cluster.objects.release_lease(**lease.key):
        logger.warning("%s", lost(lease))


def lost(lease: Lease) -> str:
    return f"cluster {lease.cluster_id}: another worker holds the lease"


def release_when_done(lease: Lease) -> bool:
    """Give the lease back unless a command waits: one posted in this moment is either seen here or wakes a worker."""
    return bool(Cluster.objects.release_lease_when_done(**lease.key))


def is_attended(cluster: Cluster) -> bool:
    """Whether a worker is at it that looks for commands once more before it leaves: nobody has to be woken.

    As far as the clock of this machine tells; if it is wrong, the beat wakes somebody.
    """
    return bool(cluster.lease_holder) and cluster.lease_expires is not None and cluster.lease_expires > timezone.now()


def _count_takeover() -> None:
    tally = Tally()
    tally.count(LEASE_TAKEOVERS)
    tallies.add(tally)


def _duration() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)
