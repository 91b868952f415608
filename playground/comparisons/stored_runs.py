"""The stored runs of comparisons: leases, progress and results. Every write needs the run's lease."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from playground.engine.leases import LeaseLostError
from playground.models import Cluster
from playground.models.comparisons import UNFINISHED, ComparisonRun, ComparisonState
from playground.packing import pack
from playground.store.quota import ROW_BYTES


@dataclass(frozen=True)
class RunLease:
    """The right to work on a run while its row has this fencing number."""

    run_id: int
    cluster_id: int
    fencing: int


def is_free() -> Q:
    """Return the filter for runs that wait for a worker, including abandoned ones."""
    return Q(state__in=UNFINISHED) & (Q(lease_holder="") | Q(lease_expires__lt=Now()))


def take_lease(holder: str) -> RunLease | None:
    """Return the lease of the oldest waiting run, preferring owners with the fewest active runs; None if none waits."""
    while True:
        owner = "comparison__cluster__owner_id"
        held = ComparisonRun.objects.filter(state=ComparisonState.RUNNING, lease_expires__gte=Now())
        theirs = held.filter(**{owner: OuterRef(owner)}).order_by().values(owner).annotate(n=Count("pk")).values("n")
        at_work = Coalesce(Subquery(theirs), 0)
        waiting = ComparisonRun.objects.filter(is_free()).annotate(at_work=at_work).order_by("at_work", "pk")
        run = waiting.values("pk", "comparison__cluster_id").first()
        if run is None:
            return None
        mine = ComparisonRun.objects.filter(is_free(), pk=run["pk"]).update(
            lease_holder=holder,
            lease_fencing=F("lease_fencing") + 1,
            lease_expires=_from_now(),
            attempts=F("attempts") + 1,
            state=ComparisonState.RUNNING,
            cycles=0,
        )
        if mine:
            fencing = ComparisonRun.objects.values_list("lease_fencing", flat=True).get(pk=run["pk"])
            return RunLease(run["pk"], run["comparison__cluster_id"], fencing)


def write_run(lease: RunLease, **fields: Any) -> None:
    """Update the run and renew the lease. Raises LeaseLostError if another worker has it, or the run was cancelled."""
    if not ComparisonRun.objects.filter(**_lease_filter(lease)).update(lease_expires=_from_now(), **fields):
        raise LeaseLostError(f"comparison run {lease.run_id}: it was cancelled, or another worker is at it")


def requeue(lease: RunLease, *, is_blameless: bool = False) -> None:
    """Queue the run again, because the worker has to stop. `is_blameless` doesn't count the attempt."""
    ComparisonRun.objects.filter(**_lease_filter(lease)).update(
        state=ComparisonState.QUEUED,
        lease_holder="",
        lease_expires=None,
        attempts=F("attempts") - int(is_blameless),
    )


@transaction.atomic
def finish_run(lease: RunLease, state: ComparisonState, **fields: Any) -> None:
    """Store the end of a run; its `body` counts towards the cluster's quota. Raises LeaseLostError."""
    taken = ROW_BYTES
    if "body" in fields:
        fields["body"] = pack(fields["body"])
        taken += len(fields["body"])
    # Lock the cluster's row first, as everywhere, to prevent deadlocks. A deleted cluster has no runs any more.
    Cluster.objects.filter(pk=lease.cluster_id).update(stored_bytes=F("stored_bytes") + taken)
    write_run(lease, state=state, **fields)
    ComparisonRun.objects.filter(pk=lease.run_id).update(lease_holder="", lease_expires=None)


def _lease_filter(lease: RunLease) -> dict[str, Any]:
    return {"pk": lease.run_id, "lease_fencing": lease.fencing, "state": ComparisonState.RUNNING}


def _from_now() -> object:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def count_waiting() -> int:
    """Return the number of runs without a worker."""
    return ComparisonRun.objects.filter(is_free()).count()
