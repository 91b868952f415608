"""Which clusters wait for a worker."""

from django.db.models import F, Q
from django.db.models.functions import Now

from playground.models import Cluster


def unattended() -> list[int]:
    """Clusters with commands to apply and nobody holding their lease, those that wait longest first."""
    free = Q(lease_holder="") | Q(lease_expires__lt=Now())
    return list(
        Cluster.objects.filter(free, submitted__gt=F("applied"))
        .order_by("lease_expires", "pk")
        .values_list("pk", flat=True)
    )
