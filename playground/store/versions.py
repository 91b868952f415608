"""Versions: the pods as they were after a record, or as they are."""

from collections.abc import Collection

from django.db.models import QuerySet

from playground.models import FOREVER, PodState

# The lanes that a pod to be popped may be in; then all that are shown, in this order.
POPPED_FROM = ("active", "backoff")
# The lanes of pods that a node counts: of those that run there, and of those that are assumed there.
ON_NODES = ("bound", "waiting")


def pods_at(cluster_id: int, seq: int | None) -> QuerySet[PodState]:
    """The pods' versions that were valid after the record `seq`; the current ones for None."""
    pods = PodState.objects.filter(cluster_id=cluster_id)
    return pods.filter(until=FOREVER) if seq is None else pods.filter(since__lte=seq, until__gt=seq)


def pods_on(cluster_id: int, nodes: Collection[str], seq: int | None = None) -> QuerySet[PodState]:
    """Those on these nodes. No others are, but with their lanes the index of the places finds them."""
    return pods_at(cluster_id, seq).filter(lane__in=ON_NODES, node__in=nodes)


def can_be_popped(cluster_id: int) -> int:
    """How many pods a run can pop without anything else happening."""
    return pods_at(cluster_id, None).filter(lane__in=POPPED_FROM).count()
