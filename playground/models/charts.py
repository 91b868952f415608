"""Points of a cluster's charts over virtual time. They are not part of the trace, and not every record has one."""

from django.db import models

from playground.models.clusters import of_cluster, unique_in_cluster
from playground.text_fields import JsonText


class ChartPoint(models.Model):
    """The metrics of a cluster after the record `seq`, from `simulator.simulation.charts`."""

    cluster = of_cluster()
    seq = models.BigIntegerField()
    t = models.FloatField()
    body = JsonText()

    class Meta:
        constraints = [unique_in_cluster("chart_point_seq", "seq")]


class RolloutPoint(models.Model):
    """The Pods of a workload after the record `seq`, from `simulator.simulation.rollouts`.

    A row exists only for workloads that changed since the point before.
    """

    cluster = of_cluster()
    kind = models.CharField(max_length=100)
    key = models.CharField(max_length=400)
    seq = models.BigIntegerField()
    t = models.FloatField()
    body = JsonText()

    class Meta:
        constraints = [unique_in_cluster("rollout_point_seq", "kind", "key", "seq")]
