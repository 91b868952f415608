"""What extenders answered: kept with the records, so that a replay asks nobody."""

from collections.abc import Iterable

from playground.models import ExtenderAnswers
from simulator.simulation import Record


def write(cluster_id: int, records: Iterable[Record]) -> None:
    """To be called in the transaction that stores the records."""
    ExtenderAnswers.objects.bulk_create(
        ExtenderAnswers(cluster_id=cluster_id, seq=record.seq, body=record.answers)
        for record in records
        if record.answers is not None
    )


def recall(cluster_id: int, seq: int) -> bytes | None:
    """The answers that record `seq` was made with."""
    stored = ExtenderAnswers.objects.filter(cluster_id=cluster_id, seq=seq).values_list("body", flat=True).first()
    return None if stored is None else bytes(stored)
