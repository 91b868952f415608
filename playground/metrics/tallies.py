"""Keep what processes counted. A row for each process: none waits for another one's transaction."""

import os
import socket
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from playground.metrics.tally import Tally
from playground.models import MetricTally

# The sum of all processes that have been silent for so long.
PAST = "past"
SILENT = timedelta(days=1)


@transaction.atomic
def add(tally: Tally) -> None:
    """Add to what this process counted. Within a transaction it stands or falls with the rest of it."""
    if tally:
        _add(f"{socket.gethostname()}:{os.getpid()}", tally)


@transaction.atomic
def fold() -> None:
    """Make one row of those of processes that have gone; the sum stays the same."""
    silent = MetricTally.objects.select_for_update().filter(updated__lt=timezone.now() - SILENT)
    rows = list(silent.exclude(process=PAST).order_by("pk"))
    past = Tally()
    for row in rows:
        past.add(Tally.load(row.body))
    if rows:
        _add(PAST, past)
        MetricTally.objects.filter(pk__in=[row.pk for row in rows]).delete()


def _add(process: str, tally: Tally) -> None:
    row = MetricTally.objects.select_for_update().filter(process=process).first()
    if row is None:
        MetricTally.objects.create(process=process, body=tally.dump())
        return
    whole = Tally.load(row.body)
    whole.add(tally)
    row.body = whole.dump()
    row.save(update_fields=["body", "updated"])
