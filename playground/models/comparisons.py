"""What comparisons keep: what was asked for, and a row for each profile × seed, which is a job of its own.

The rows are the truth: a Celery task is only a wake-up, and a run that a worker left behind is done again, to the same
result.
"""

from django.db import models
from django.db.models import Q

from playground.fields import JsonText, PackedJson


class Comparison(models.Model):
    """Several profiles over the same pending pods from the same moment; see docs/api.md.

    `sides`: `[{label, source, yaml, cluster, seq, reset}]`, each with the configuration it runs with and the record of
    the cluster that it starts after; `reset` starts it over from the objects as given.
    """

    cluster = models.ForeignKey("playground.Cluster", models.CASCADE, related_name="comparisons")
    created = models.DateTimeField(auto_now_add=True)
    at = JsonText()
    sides = JsonText()
    seeds = JsonText()

    class Meta:
        ordering = ["id"]


class ComparisonState(models.TextChoices):
    """Where one run of a comparison is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = (ComparisonState.QUEUED, ComparisonState.RUNNING)


class ComparisonRun(models.Model):
    """One side with one seed, and the lease of the worker that is at it."""

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="runs", db_index=False)
    side = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    state = models.CharField(max_length=10, choices=ComparisonState.choices, default=ComparisonState.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    # Pods to schedule, 0 until it is known, and attempts made.
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
