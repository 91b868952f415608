"""Batches of similar records and their matrices in one row, which compresses better.

In a run at full speed, these are the records of cycles that only bind their Pod.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from playground.models import CycleMatrix, Record
from playground.store.batched_rows import MATRICES, RECORDS
from playground.store.rows import insert_rows
from simulator.simulation import Record as EngineRecord

# Limits for a row: its number of records and the bytes of their texts and matrices. A read unpacks a whole row.
MOST_RECORDS = 64
MOST_BYTES = 1 << 21


class RecordRow(NamedTuple):
    """A record, its text, and its matrix in stored form."""

    record: EngineRecord
    text: str
    matrix: bytes | None


class PackedRows(NamedTuple):
    """The values of rows, without the cluster's id."""

    records: list[tuple[int, str, int | None, bytes]]
    matrices: list[tuple[int, bytes]]

    @property
    def size(self) -> int:
        return sum(len(row[-1]) for rows in self for row in rows)


def pack_rows(found: Sequence[RecordRow]) -> PackedRows:
    """Return the rows for consecutive records."""
    records: list[tuple[int, str, int | None, bytes]] = []
    matrices: list[tuple[int, bytes]] = []
    for batch in _group_rows(found):
        last = batch[-1].record.data
        cycle = last["cycle"]["number"] if "cycle" in last else None
        records.append((last["seq"], last["kind"], cycle, RECORDS.join([one.text for one in batch])))
        batch_matrices = [one.matrix for one in batch if one.matrix is not None]
        if batch_matrices and cycle is not None:
            matrices.append((cycle, MATRICES.join(batch_matrices)))
    return PackedRows(records, matrices)


def insert_batches(cluster_id: int, rows: PackedRows) -> None:
    """Insert the rows. Part of a transaction."""
    insert_rows(CycleMatrix, ("cluster_id", "number", "body"), [(cluster_id, *row) for row in rows.matrices])
    insert_rows(Record, ("cluster_id", "seq", "kind", "cycle", "body"), [(cluster_id, *row) for row in rows.records])


def copy_row_until(source: int, target: int, seq: int) -> None:
    """Copy the part of a batch row up to the record `seq` from `source` to `target`."""
    divided = _split_row(source, seq)
    if divided is not None:
        insert_batches(target, divided[0])


def split_row(cluster_id: int, seq: int) -> None:
    """Split the row that continues after the record `seq`. Part of a transaction."""
    for rows in _split_row(cluster_id, seq) or ():
        Record.objects.filter(cluster_id=cluster_id, seq__in=[row[0] for row in rows.records]).delete()
        CycleMatrix.objects.filter(cluster_id=cluster_id, number__in=[row[0] for row in rows.matrices]).delete()
        insert_batches(cluster_id, rows)


def _split_row(cluster_id: int, seq: int) -> tuple[PackedRows, PackedRows] | None:
    """Return the two rows that replace the one that continues after `seq`, or None if a row ends there."""
    cut = RECORDS.split_after(cluster_id, seq)
    if cut is None:
        return None
    last, ahead, behind = cut
    number = Record.objects.values_list("cycle", flat=True).get(cluster_id=cluster_id, seq=last)
    assert number is not None  # only cycles share a row
    of_matrices = MATRICES.split_after(cluster_id, number - len(behind))
    assert of_matrices is not None  # the matrices of these cycles share a row, too
    return _pack_row(seq, number - len(behind), ahead, of_matrices[1]), _pack_row(last, number, behind, of_matrices[2])


def _pack_row(seq: int, cycle: int, texts: Sequence[str], matrices: Sequence[bytes]) -> PackedRows:
    return PackedRows([(seq, "cycle", cycle, RECORDS.join(texts))], [(cycle, MATRICES.join(matrices))])


def _group_rows(found: Sequence[RecordRow]) -> Iterator[list[RecordRow]]:
    row: list[RecordRow] = []
    size = 0
    for record in found:
        more = len(record.text) + len(record.matrix or b"")
        if row and (len(row) == MOST_RECORDS or size + more > MOST_BYTES or not _follows(row[-1], record)):
            yield row
            row, size = [], 0
        row.append(record)
        size += more
    if row:
        yield row


def _follows(before: RecordRow, after: RecordRow) -> bool:
    """Return True if both only bind their Pod, in consecutive records and cycles."""
    if not (_only_binds(before) and _only_binds(after)):
        return False
    seq, number = before.record.seq, before.record.data["cycle"]["number"]
    return (after.record.seq, after.record.data["cycle"]["number"]) == (seq + 1, number + 1)


def _only_binds(row: RecordRow) -> bool:
    """Return True if a record only binds its Pod.

    Requests of Pods in the queues are in other records, with their own rows.
    """
    data = row.record.data
    is_bound = data["kind"] == "cycle" and data["cycle"]["outcome"] == "scheduled"
    return is_bound and row.matrix is not None and len(row.record.lanes) == 1
