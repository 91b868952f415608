"""The lease: one worker at a time works on a cluster. It is kube-scheduler's leader election, with a row as the lock.

All times are the database's, so that the clocks of workers do not matter.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from playground.metrics import tallies
from playground.metrics.definitions import LEASE_TAKEOVERS
from playground.metrics.tally import Tally
from playground.models import Cluster

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
    mine = {"lease_holder": holder, "lease_fencing": F("lease_fencing") + 1, "lease_expires": _from_now()}
    if not Cluster.objects.filter(pk=cluster_id, lease_holder="").update(**mine):
        if not Cluster.objects.filter(pk=cluster_id, lease_expires__lt=Now()).update(**mine):
            return None
        _count_takeover()
    # Only the holder changes the number, and that is us.
    return Lease(cluster_id, Cluster.objects.values_list("lease_fencing", flat=True).get(pk=cluster_id))


def write(lease: Lease, **fields: object) -> None:
    """Update the cluster's row and renew the lease. Raises LeaseLostError if it is no longer ours."""
    if not Cluster.objects.filter(**_held(lease)).update(lease_expires=_from_now(), **fields):
        raise LeaseLostError(f"cluster {lease.cluster_id}: another worker holds the lease")


def release(lease: Lease) -> None:
    """Give the lease back; nothing happens if it was lost."""
    Cluster.objects.filter(**_held(lease)).update(lease_holder="", lease_expires=None)


def release_when_done(lease: Lease) -> bool:
    """Give the lease back unless a command waits: one posted in this moment is either seen here or wakes a worker."""
    done = Cluster.objects.filter(**_held(lease), submitted=F("applied"))
    return bool(done.update(lease_holder="", lease_expires=None))


def _count_takeover() -> None:
    tally = Tally()
    tally.count(LEASE_TAKEOVERS)
    tallies.add(tally)


def _held(lease: Lease) -> dict[str, object]:
    return {"pk": lease.cluster_id, "lease_fencing": lease.fencing, "lease_expires__isnull": False}


def _from_now() -> object:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)
