"""Which clusters, and how many runs of comparisons, wait for a worker."""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now

from playground import limits
from playground.models import Cluster


def unattended() -> list[int]:
    """Clusters with commands to apply and nobody holding their lease, those that wait longest first."""
    free = Q(lease_holder="") | Q(lease_expires__lt=Now())
    return list(
        Cluster.objects.filter(free, submitted__gt=F("applied"))
        .order_by("lease_expires", "pk")
        .values_list("pk", flat=True)
    )


def owners_at_work() -> Counter[int]:
    """How many clusters of each owner have a worker at them."""
    held = Cluster.objects.exclude(lease_holder="").filter(lease_expires__gte=Now())
    return Counter(held.values_list("owner_id", flat=True))


def fairest(clusters: Sequence[int], last_turns: Mapping[int, float]) -> list[int]:
    """These clusters in the order in which workers should come to them; without those that are not to have one now.

    The owner with the fewest clusters at work comes first, then the one whose last turn (`last_turns`: owner → time)
    ended longest ago. So however many clusters somebody has, others wait for one turn of them, not for all. Where
    there are several users, nobody has more than CLUSTERS_AT_WORK_PER_USER.
    """
    owners = dict(Cluster.objects.filter(pk__in=clusters).values_list("pk", "owner_id"))
    at_work = owners_at_work()
    most = None if settings.LOCAL else limits.CLUSTERS_AT_WORK_PER_USER
    may = [pk for pk in clusters if pk in owners and (most is None or at_work[owners[pk]] < most)]
    return sorted(may, key=lambda pk: (at_work[owners[pk]], last_turns.get(owners[pk], 0.0)))
