"""Which clusters, and how many runs of comparisons, wait for a worker."""

from django.db.models import F, Q
from django.db.models.functions import Now

from playground.comparison_models import ComparisonRun
from playground.models import Cluster
from playground.services import comparison_runs


def unattended() -> list[int]:
    """Clusters with commands to apply and nobody holding their lease, those that wait longest first."""
    free = Q(lease_holder="") | Q(lease_expires__lt=Now())
    return list(
        Cluster.objects.filter(free, submitted__gt=F("applied"))
        .order_by("lease_expires", "pk")
        .values_list("pk", flat=True)
    )


def comparison_runs_waiting() -> int:
    """Runs that no worker is at."""
    return ComparisonRun.objects.filter(comparison_runs.free()).count()
