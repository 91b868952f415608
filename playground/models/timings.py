"""The durations of a cluster's attempts by the wall clock. They are not part of the trace."""

from django.db import models
from django.db.models import QuerySet

from playground.prepared import select_object
from playground.text_fields import JsonText


class ClusterTimesManager(models.Manager["ClusterTimes"]):
    """Manager with the query that every step of a new worker runs."""

    @select_object
    def find(self, *, cluster_id: int) -> "QuerySet[ClusterTimes]":
        """Return the times of a cluster, or None."""
        return self.filter(pk=cluster_id)


class ClusterTimes(models.Model):
    """Sums over all attempts of workers: `[[point, plugin, runs, skips, seconds, longest], …]`."""

    cluster = models.OneToOneField("playground.Cluster", models.CASCADE, related_name="times", primary_key=True)
    attempts = models.BigIntegerField(default=0)
    body = JsonText(default=list)

    objects = ClusterTimesManager()
