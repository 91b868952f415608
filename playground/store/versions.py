"""Versions: the pods as they were after a record, or as they are."""

from django.db.models import QuerySet

from playground.models import FOREVER, PodState

# The lanes that a pod to be popped may be in; then all that are shown, in this order.
POPPED_FROM = ("active", "backoff")


def pods_at(cluster_id: int, seq: int | None) -> QuerySet[PodState]:
    """The pods' versions that were valid after the record `seq`; the current ones for None."""
    pods = PodState.objects.filter(cluster_id=cluster_id)
    return pods.filter(until=FOREVER) if seq is None else pods.filter(since__lte=seq, until__gt=seq)


def can_be_popped(cluster_id: int) -> int:
    """How many pods a run can pop without anything else happening."""
    return pods_at(cluster_id, None).filter(lane__in=POPPED_FROM).count()
