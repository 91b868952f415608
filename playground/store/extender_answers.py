"""The answers of extenders, stored with the records, so that a replay calls no extender."""

from collections.abc import Iterable

from playground.models import ExtenderAnswers
from simulator.simulation import Record


def insert_answers(cluster_id: int, records: Iterable[Record]) -> None:
    """Insert the answers of these records in the transaction that stores them."""
    ExtenderAnswers.objects.bulk_create(
        ExtenderAnswers(cluster_id=cluster_id, seq=record.seq, body=record.answers)
        for record in records
        if record.answers is not None
    )


def read_answers(cluster_id: int, seq: int) -> bytes | None:
    """Return the extenders' answers that the record `seq` used, or None."""
    stored = ExtenderAnswers.objects.filter(cluster_id=cluster_id, seq=seq).values_list("body", flat=True).first()
    return None if stored is None else bytes(stored)
