"""Keep what processes counted. A row for each process: none waits for another one's transaction."""

import os
import socket
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from playground.metrics.tally import Tally
from playground.models import MetricTally
from playground.prepared import Json, Select, Update

# The sum of all processes that have been silent for so long.
PAST = "past"
SILENT = timedelta(days=1)

_STORED = Select(lambda name: MetricTally.objects.select_for_update().filter(process=name).values_list("body"), str)
_STORE = Update(
    lambda name, body, now: (MetricTally.objects.filter(process=name), {"body": body, "updated": now}),
    *(str, Json, datetime),
)


@transaction.atomic(savepoint=False)
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
    stored = _STORED.row(process)
    whole = Tally.load(stored[0]) if stored else tally
    if stored:
        whole.add(tally)
    if not _STORE(process, whole.dump(), timezone.now()):
        MetricTally.objects.create(process=process, body=whole.dump())
