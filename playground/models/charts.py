"""A cluster in numbers over virtual time. Beside the trace, never part of it: not every record has a point."""

from django.db import models

from playground.fields import JsonText


class ChartPoint(models.Model):
    """The cluster after the record `seq`, as `scheduler_core.simulation.charts` counts it."""

    cluster = models.ForeignKey("playground.Cluster", models.CASCADE, related_name="+", db_index=False)
    seq = models.BigIntegerField()
    t = models.FloatField()
    body = JsonText()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "seq"], name="chart_point_seq")]
