"""Stored tallies, one row per process, so that no process waits for another one's transaction."""

import os
import socket
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from playground.metrics.tally import Tally
from playground.models import MetricTally

# The row with the sum of all processes that have not reported for SILENT.
PAST = "past"
SILENT = timedelta(days=1)

# The last stored tally by process, with its time. If the row has another time, it was changed and must be read again.
_stored: dict[str, tuple[datetime, Tally]] = {}


@transaction.atomic(savepoint=False)
def add_tally(tally: Tally) -> None:
    """Add to this process's tally, within the caller's transaction."""
    send_tally(tally)()


def send_tally(tally: Tally) -> Callable[[], None]:
    """Send the update within a transaction; the returned function completes it."""
    if not tally:
        return lambda: None
    process, now = f"{socket.gethostname()}:{os.getpid()}", timezone.now()
    if process not in _stored:
        return lambda: _add(process, tally)
    last, whole = _stored.pop(process)
    whole.add(tally)
    result = MetricTally.objects.store_if_unchanged(process=process, last=last, body=whole.dump(), now=now)

    def finish() -> None:
        if result() is not None:
            _stored[process] = now, whole
        else:
            _add(process, tally)

    return finish


@transaction.atomic
def fold_tallies() -> None:
    """Merge the rows of silent processes into one; the sum stays the same."""
    silent = MetricTally.objects.select_for_update().filter(updated__lt=timezone.now() - SILENT)
    rows = list(silent.exclude(process=PAST).order_by("pk"))
    past = Tally()
    for row in rows:
        past.add(Tally.load(row.body))
    if rows:
        _add(PAST, past)
        MetricTally.objects.filter(pk__in=[row.pk for row in rows]).delete()


def _add(process: str, tally: Tally) -> None:
    stored = MetricTally.objects.lock_body(process=process)
    whole = Tally.load(stored[0]) if stored else tally
    if stored:
        whole.add(tally)
    now = timezone.now()
    if not MetricTally.objects.store(process=process, body=whole.dump(), now=now):
        now = MetricTally.objects.create(process=process, body=whole.dump()).updated
    if process != PAST:
        _stored[process] = now, whole
