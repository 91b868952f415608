"""What processes counted, for the metrics."""

from django.db import models

from playground.fields import JsonText


class MetricTally(models.Model):
    """What one process counted and measured, as `Tally.dump` gives it; the metrics are the sum over all processes."""

    process = models.CharField(max_length=200, unique=True)
    body = JsonText()
    updated = models.DateTimeField(auto_now=True)
