"""Queries for the clusters and runs of comparisons that wait for a worker."""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now

from playground import limits
from playground.models import Cluster


def list_unattended() -> list[int]:
    """Return the clusters with queued commands and no holder of their lease, longest waiting first."""
    free = Q(lease_holder="") | Q(lease_expires__lt=Now())
    return list(
        Cluster.objects.filter(free, submitted__gt=F("applied"))
        .order_by("lease_expires", "pk")
        .values_list("pk", flat=True)
    )


def count_clusters_at_work() -> Counter[int]:
    """Return the number of clusters with a worker, by owner."""
    held = Cluster.objects.exclude(lease_holder="").filter(lease_expires__gte=Now())
    return Counter(held.values_list("owner_id", flat=True))


def order_fairly(clusters: Sequence[int], last_turns: Mapping[int, float]) -> list[int]:
    """Return these clusters in the order in which workers should serve them, without those that may have none now.

    The owner with the fewest clusters at work comes first, then the owner whose last turn (`last_turns`: owner → time)
    ended first. So the others wait for one turn of an owner with many clusters, not for all. With several users,
    CLUSTERS_AT_WORK_PER_USER limits each owner.
    """
    owners = dict(Cluster.objects.filter(pk__in=clusters).values_list("pk", "owner_id"))
    at_work = count_clusters_at_work()
    most = None if settings.LOCAL else limits.CLUSTERS_AT_WORK_PER_USER
    may = [pk for pk in clusters if pk in owners and (most is None or at_work[owners[pk]] < most)]
    return sorted(may, key=lambda pk: (at_work[owners[pk]], last_turns.get(owners[pk], 0.0)))
