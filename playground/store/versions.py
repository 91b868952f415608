"""Versions: the Pods after a record, or as they are now."""

from collections.abc import Collection, Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from playground.models import FOREVER, PodState

# The lanes of Pods that a run can pop.
POPPED_FROM = ("active", "backoff")
# The lanes of Pods that a Node counts: those that run there, and those that are assumed there.
ON_NODES = ("bound", "waiting")
# Columns that an ended version without a Node leaves empty if the next version repeats them. See `fill_left_columns`.
LEFT_COLUMNS = ("uid", "requests", "owned_by")


def pods_at(cluster_id: int, seq: int | None) -> QuerySet[PodState]:
    """Return the Pods' versions that were valid after the record `seq`, or the current ones for None."""
    pods = PodState.objects.filter(cluster_id=cluster_id)
    return pods.filter(until=FOREVER) if seq is None else pods.filter(since__lte=seq, until__gt=seq)


def pods_on(cluster_id: int, nodes: Collection[str], seq: int | None = None) -> QuerySet[PodState]:
    """Return the versions of the Pods on these Nodes. The filter by lane lets the query use the index of Nodes."""
    return pods_at(cluster_id, seq).filter(lane__in=ON_NODES, node__in=nodes)


def fill_left_columns(cluster_id: int, pods: Sequence[PodState]) -> Sequence[PodState]:
    """Fill in the columns that these versions left to the next ones, and return the versions."""
    short = {pod.pod: pod for pod in pods if not pod.uid}
    if short:
        first_end = min(pod.until for pod in short.values())
        later = PodState.objects.filter(cluster_id=cluster_id, pod__in=short, until__gt=first_end).exclude(uid="")
        for key, until, *left in later.order_by("-until").values_list("pod", "until", *LEFT_COLUMNS):
            if until > short[key].until:
                # The last row of this order is the next version.
                vars(short[key]).update(zip(LEFT_COLUMNS, left, strict=True))
    return pods


def fill_current_versions(cluster_id: int, source: int) -> None:
    """Fill in the current versions of a copied cluster that left columns to later versions in `source`."""
    short = PodState.objects.filter(cluster_id=cluster_id, until=FOREVER, uid="")
    # The copied version begins with the same record as the original.
    original = PodState.objects.filter(cluster_id=source, pod=OuterRef("pod"), since__gt=OuterRef("since"))
    later = original.exclude(uid="").order_by("since")
    short.update(**{name: Subquery(later.values(name)[:1]) for name in LEFT_COLUMNS})


def can_be_popped(cluster_id: int) -> int:
    """Return the number of Pods that a run can pop without any other event."""
    return pods_at(cluster_id, None).filter(lane__in=POPPED_FROM).count()
