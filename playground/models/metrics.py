"""Counters of processes for the metrics."""

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import QuerySet

from playground.prepared import Changes, JsonParam, request_update, select_row, update
from playground.text_fields import JsonText


class MetricTallyManager(models.Manager["MetricTally"]):
    """Manager of tallies with the queries that every step of a worker runs."""

    @select_row
    def lock_body(self, *, process: str) -> "QuerySet[MetricTally, tuple[Any]]":
        """Lock the row of a process, and return its body."""
        return self.select_for_update().filter(process=process).values_list("body")

    @update()
    def store(self, *, process: str, body: JsonParam, now: datetime) -> "Changes[MetricTally]":
        """Store the body of a process."""
        return Changes(self.filter(process=process), {"body": body, "updated": now})

    @request_update(returning="id")
    def store_if_unchanged(
        self, *, process: str, last: datetime, body: JsonParam, now: datetime
    ) -> "Changes[MetricTally]":
        """Store the body of a process if no other process has written it after `last`."""
        return Changes(self.filter(process=process, updated=last), {"body": body, "updated": now})


class MetricTally(models.Model):
    """The counters and measurements of one process, from `Tally.dump`. A metric is the sum over all processes."""

    process = models.CharField(max_length=200, unique=True)
    body = JsonText()
    updated = models.DateTimeField(auto_now=True)

    objects = MetricTallyManager()
