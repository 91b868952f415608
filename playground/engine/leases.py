"""The lease: one worker at a time works on a cluster. It is kube-scheduler's leader election, with a row as the lock.

All times are the database's, so that the clocks of workers do not matter.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from playground.metrics import tallies
from playground.metrics.definitions import LEASE_TAKEOVERS
from playground.metrics.tally import Tally
from playground.models import Cluster
from playground.prepared import Json, Update
from playground.store.clusters import CLUSTER

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
    def key(self) -> tuple[int, int, str]:
        """What the row shows: see `held`."""
        return self.cluster_id, self.fencing, self.holder


def acquire(cluster_id: int, holder: str) -> Lease | None:
    """Take the lease if it is free or has run out; None while another worker holds it, or without the cluster."""
    cluster = _TAKE_FREE.object(cluster_id, holder, _duration())
    if cluster is None:
        cluster = _TAKE_OVER.object(cluster_id, holder, _duration())
        if cluster is None:
            return None
        _count_takeover()
    return Lease(cluster_id, cluster.lease_fencing, holder, cluster)


def write(lease: Lease, **fields: object) -> None:
    """Update the cluster's row and renew the lease. Raises LeaseLostError if it is no longer ours."""
    send(lease, **fields)()


def send(lease: Lease, **fields: object) -> Callable[[], int | None]:
    """The same; whether it is ours is looked at when the answer is called, which tells the row's `watched_since`."""
    answer = _renewing(tuple(fields)).send_for_row(*lease.key, _duration(), *fields.values())

    def checked() -> int | None:
        row = answer()
        if row is None:
            raise LeaseLostError(lost(lease))
        since: int | None = row[0]
        return since

    return checked


def release(lease: Lease) -> None:
    """Give the lease back; if it was lost, that is logged, and nothing happens."""
    if not _RELEASE(*lease.key):
        logger.warning("%s", lost(lease))


def lost(lease: Lease) -> str:
    return f"cluster {lease.cluster_id}: another worker holds the lease"


def release_when_done(lease: Lease) -> bool:
    """Give the lease back unless a command waits: one posted in this moment is either seen here or wakes a worker."""
    return bool(_RELEASE_WHEN_DONE(*lease.key))


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


def held(cluster_id: int, fencing: int, holder: str) -> "QuerySet[Cluster]":
    """The cluster, as long as the lease is not lost.

    Taking it does not wait for the disk, so that a number may be given again where the database's machine failed: then
    it is the holder that tells one from the other.
    """
    return Cluster.objects.filter(
        pk=cluster_id, lease_fencing=fencing, lease_holder=holder, lease_expires__isnull=False
    )


def _taken(holder: str, duration: timedelta) -> dict[str, object]:
    return {"lease_holder": holder, "lease_fencing": F("lease_fencing") + 1, "lease_expires": Now() + duration}


# Of the cluster's row; `stored_bytes` are added to those that are there.
_WRITTEN = {"stored_bytes": int, "applied": int, "revision": int, "t": float, "cycle": int, "first_cycle": int}
_WRITTEN |= {"last_cycle_at": datetime, "config_version": int, "emulates": str, "actors": Json}


@cache
def _renewing(names: tuple[str, ...]) -> Update:
    def build(
        cluster_id: int, fencing: int, holder: str, duration: timedelta, *values: Any
    ) -> tuple["QuerySet[Cluster]", dict[str, object]]:
        fields = dict(zip(names, values, strict=True))
        if "stored_bytes" in fields:
            fields["stored_bytes"] = F("stored_bytes") + fields["stored_bytes"]
        return held(cluster_id, fencing, holder), fields | {"lease_expires": Now() + duration}

    kinds = [_WRITTEN[name] for name in names]
    return Update(build, *_KEY, timedelta, *kinds, telling="watched_since")


_KEY = (int, int, str)
_FREE = {"lease_holder": "", "lease_expires": None}
_TAKE_FREE = Update(
    lambda cluster, *mine: (Cluster.objects.filter(pk=cluster, lease_holder=""), _taken(*mine)),
    *(int, str, timedelta),
    telling=CLUSTER,
    may_be_lost=True,
)
_TAKE_OVER = Update(
    lambda cluster, *mine: (Cluster.objects.filter(pk=cluster, lease_expires__lt=Now()), _taken(*mine)),
    *(int, str, timedelta),
    telling=CLUSTER,
)
# One that is given back and is not, as the database's machine failed, runs out.
_RELEASE = Update(lambda *key: (held(*key), _FREE), *_KEY, may_be_lost=True)
_RELEASE_WHEN_DONE = Update(lambda *key: (held(*key).filter(submitted=F("applied")), _FREE), *_KEY, may_be_lost=True)
