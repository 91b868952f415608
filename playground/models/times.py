"""What the attempts of a cluster took. By the wall clock, so it is beside the trace, never part of it."""

from django.db import models

from playground.fields import JsonText


class ClusterTimes(models.Model):
    """Sums over all attempts that workers ran: `[[point, plugin, runs, skips, seconds, longest], …]`."""

    cluster = models.OneToOneField("playground.Cluster", models.CASCADE, related_name="times", primary_key=True)
    attempts = models.BigIntegerField(default=0)
    body = JsonText(default=list)
