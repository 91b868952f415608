"""A cluster in numbers over virtual time. Beside the trace, never part of it: not every record has a point."""

from django.db import models

from playground.fields import JsonText
from playground.models.clusters import of_cluster, unique_in_cluster


class ChartPoint(models.Model):
    """The cluster after the record `seq`, as `simulator.simulation.charts` counts it."""

    cluster = of_cluster()
    seq = models.BigIntegerField()
    t = models.FloatField()
    body = JsonText()

    class Meta:
        constraints = [unique_in_cluster("chart_point_seq", "seq")]


class RolloutPoint(models.Model):
    """The pods of a workload after the record `seq`, as `simulator.simulation.rollouts` counts them.

    Only of those that had changed since the point before.
    """

    cluster = of_cluster()
    kind = models.CharField(max_length=100)
    key = models.CharField(max_length=400)
    seq = models.BigIntegerField()
    t = models.FloatField()
    body = JsonText()

    class Meta:
        constraints = [unique_in_cluster("rollout_point_seq", "kind", "key", "seq")]
