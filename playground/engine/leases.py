"""The lease: one worker at a time works on a cluster. It is kube-scheduler's leader election, with a row as the lock.

All times are the database's, so that the clocks of workers do not matter.
"""

import logging
from dataclasses import dataclass
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

logger = logging.getLogger(__name__)

# Of the lease's duration: how often it is renewed, and how much may be left of one that is renewed in time.
RENEW_EVERY = 1 / 8
OVERDUE_BELOW = 2 / 3


class LeaseLostError(Exception):
    """Another worker took the lease over: whatever this one has not committed did not happen."""


@dataclass(frozen=True)
class Lease:
    """The right to write to a cluster, for as long as the row still shows this fencing number."""

    cluster_id: int
    fencing: int


def acquire(cluster_id: int, holder: str) -> Lease | None:
    """Take the lease if it is free or has run out; None while another worker holds it, or without the cluster."""
    fencing = _TAKE_FREE.value(cluster_id, holder, _duration())
    if fencing is None:
        fencing = _TAKE_OVER.value(cluster_id, holder, _duration())
        if fencing is None:
            return None
        _count_takeover()
    return Lease(cluster_id, fencing)


def write(lease: Lease, **fields: object) -> None:
    """Update the cluster's row and renew the lease. Raises LeaseLostError if it is no longer ours."""
    if not _renewing(tuple(fields))(lease.cluster_id, lease.fencing, _duration(), *fields.values()):
        raise LeaseLostError(_lost(lease))


def release(lease: Lease) -> None:
    """Give the lease back; if it was lost, that is logged, and nothing happens."""
    if not _RELEASE(lease.cluster_id, lease.fencing):
        logger.warning("%s", _lost(lease))


def _lost(lease: Lease) -> str:
    return f"cluster {lease.cluster_id}: another worker holds the lease"


def release_when_done(lease: Lease) -> bool:
    """Give the lease back unless a command waits: one posted in this moment is either seen here or wakes a worker."""
    return bool(_RELEASE_WHEN_DONE(lease.cluster_id, lease.fencing))


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


def _held(cluster_id: int, fencing: int) -> "QuerySet[Cluster]":
    return Cluster.objects.filter(pk=cluster_id, lease_fencing=fencing, lease_expires__isnull=False)


def _taken(holder: str, duration: timedelta) -> dict[str, object]:
    return {"lease_holder": holder, "lease_fencing": F("lease_fencing") + 1, "lease_expires": Now() + duration}


# Of the cluster's row; `stored_bytes` are added to those that are there.
_WRITTEN = {"stored_bytes": int, "applied": int, "revision": int, "t": float, "cycle": int, "first_cycle": int}
_WRITTEN |= {"last_cycle_at": datetime, "config_version": int, "emulates": str, "actors": Json}


@cache
def _renewing(names: tuple[str, ...]) -> Update:
    def build(
        cluster_id: int, fencing: int, duration: timedelta, *values: Any
    ) -> tuple["QuerySet[Cluster]", dict[str, object]]:
        fields = dict(zip(names, values, strict=True))
        if "stored_bytes" in fields:
            fields["stored_bytes"] = F("stored_bytes") + fields["stored_bytes"]
        return _held(cluster_id, fencing), fields | {"lease_expires": Now() + duration}

    return Update(build, int, int, timedelta, *(_WRITTEN[name] for name in names))


_FREE = {"lease_holder": "", "lease_expires": None}
_TAKE_FREE = Update(
    lambda cluster, *mine: (Cluster.objects.filter(pk=cluster, lease_holder=""), _taken(*mine)),
    *(int, str, timedelta),
    telling="lease_fencing",
)
_TAKE_OVER = Update(
    lambda cluster, *mine: (Cluster.objects.filter(pk=cluster, lease_expires__lt=Now()), _taken(*mine)),
    *(int, str, timedelta),
    telling="lease_fencing",
)
_RELEASE = Update(lambda cluster, fencing: (_held(cluster, fencing), _FREE), int, int)
_RELEASE_WHEN_DONE = Update(
    lambda cluster, fencing: (_held(cluster, fencing).filter(submitted=F("applied")), _FREE), int, int
)
