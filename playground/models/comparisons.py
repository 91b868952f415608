"""Comparisons: the request, and a row for each profile × seed, which is a separate job.

Rows are authoritative, and a Celery task is only a hint. A run that a worker left unfinished is repeated with the same
result.
"""

from django.db import models
from django.db.models import Q

from playground.text_fields import JsonText, PackedJson


class Comparison(models.Model):
    """A comparison of profiles with the same pending Pods from the same moment. See docs/reference/http-api.md.

    `sides` are `[{label, source, yaml, cluster, seq, reset}]`: the configuration, and the cluster's record after which
    the side starts. With `reset`, it starts from the objects as users created them.
    """

    cluster = models.ForeignKey("playground.Cluster", models.CASCADE, related_name="comparisons")
    created = models.DateTimeField(auto_now_add=True)
    at = JsonText()
    sides = JsonText()
    seeds = JsonText()

    class Meta:
        ordering = ["id"]


class ComparisonState(models.TextChoices):
    """The state of one run of a comparison."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = (ComparisonState.QUEUED, ComparisonState.RUNNING)


class ComparisonRun(models.Model):
    """One side with one seed, and the lease of its worker."""

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="runs", db_index=False)
    side = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    state = models.CharField(max_length=10, choices=ComparisonState.choices, default=ComparisonState.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    # The number of Pods to schedule, 0 while unknown, and the number of attempts.
    total = models.BigIntegerField(default=0)
    cycles = models.BigIntegerField(default=0)
    seconds = models.FloatField(null=True)
    problems = JsonText(default=list)
    metrics = JsonText(null=True)
    # `{decisions, placements}` of simulator.comparison.run.
    body = PackedJson(null=True)
    lease_holder = models.CharField(max_length=200, blank=True, default="")
    lease_fencing = models.BigIntegerField(default=0)
    lease_expires = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comparison", "side", "seed"], name="comparison_run")]
        indexes = [
            models.Index(fields=["id"], name="comparison_run_unfinished", condition=Q(state__in=("queued", "running")))
        ]
