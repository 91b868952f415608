"""What a commit writes of records and matrices: those that are alike together, which takes a third of the room.

Of a run at full speed that are the records of cycles that did no more than bind their pod.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from playground.models import CycleMatrix, Record
from playground.store.many import MATRICES, RECORDS
from playground.store.rows import insert
from simulator.simulation import Record as EngineRecord

# In a row, and how large its text and matrices are: to read one, all are unpacked, which takes some tenths of a
# millisecond at most.
MOST = 64
MOST_BYTES = 1 << 21


class Stored(NamedTuple):
    """A record, its text, and its matrix as it is stored."""

    record: EngineRecord
    text: str
    matrix: bytes | None


class Packed(NamedTuple):
    """The values of rows, without the cluster's."""

    records: list[tuple[int, str, int | None, bytes]]
    matrices: list[tuple[int, bytes]]

    @property
    def size(self) -> int:
        return sum(len(row[-1]) for rows in self for row in rows)


def packed(found: Sequence[Stored]) -> Packed:
    """The rows of records that follow one another."""
    records: list[tuple[int, str, int | None, bytes]] = []
    matrices: list[tuple[int, bytes]] = []
    for held in _in_rows(found):
        last = held[-1].record.data
        cycle = last["cycle"]["number"] if "cycle" in last else None
        records.append((last["seq"], last["kind"], cycle, RECORDS.join([one.text for one in held])))
        drawn = [one.matrix for one in held if one.matrix is not None]
        if drawn and cycle is not None:
            matrices.append((cycle, MATRICES.join(drawn)))
    return Packed(records, matrices)


def write(cluster_id: int, rows: Packed) -> None:
    """Part of a transaction."""
    insert(CycleMatrix, ("cluster_id", "number", "body"), [(cluster_id, *row) for row in rows.matrices])
    insert(Record, ("cluster_id", "seq", "kind", "cycle", "body"), [(cluster_id, *row) for row in rows.records])


def copy_end(source: int, target: int, seq: int) -> None:
    """Of a row of `source` that goes on behind the record `seq` the cluster `target` gets what is up to there."""
    divided = _divided(source, seq)
    if divided is not None:
        write(target, divided[0])


def end_row(cluster_id: int, seq: int) -> None:
    """From now on no row goes on behind the record `seq`. Part of a transaction."""
    for rows in _divided(cluster_id, seq) or ():
        Record.objects.filter(cluster_id=cluster_id, seq__in=[row[0] for row in rows.records]).delete()
        CycleMatrix.objects.filter(cluster_id=cluster_id, number__in=[row[0] for row in rows.matrices]).delete()
        write(cluster_id, rows)


def _divided(cluster_id: int, seq: int) -> tuple[Packed, Packed] | None:
    """The rows that would be in the place of those that go on behind `seq`, if there are some."""
    cut = RECORDS.cut(cluster_id, seq)
    if cut is None:
        return None
    last, ahead, behind = cut
    number = Record.objects.values_list("cycle", flat=True).get(cluster_id=cluster_id, seq=last)
    assert number is not None  # only cycles share a row
    of_matrices = MATRICES.cut(cluster_id, number - len(behind))
    assert of_matrices is not None  # as many share one, at the same cycles
    return _row(seq, number - len(behind), ahead, of_matrices[1]), _row(last, number, behind, of_matrices[2])


def _row(seq: int, cycle: int, texts: Sequence[str], matrices: Sequence[bytes]) -> Packed:
    return Packed([(seq, "cycle", cycle, RECORDS.join(texts))], [(cycle, MATRICES.join(matrices))])


def _in_rows(found: Sequence[Stored]) -> Iterator[list[Stored]]:
    row: list[Stored] = []
    size = 0
    for one in found:
        more = len(one.text) + len(one.matrix or b"")
        if row and (len(row) == MOST or size + more > MOST_BYTES or not _follows(row[-1], one)):
            yield row
            row, size = [], 0
        row.append(one)
        size += more
    if row:
        yield row


def _follows(before: Stored, one: Stored) -> bool:
    """Whether both are of their kind, and of one cycle after the other."""
    if not (_only_binds(before) and _only_binds(one)):
        return False
    seq, number = before.record.seq, before.record.data["cycle"]["number"]
    return (one.record.seq, one.record.data["cycle"]["number"]) == (seq + 1, number + 1)


def _only_binds(one: Stored) -> bool:
    """What the pods in the queues ask for is in other records, which have rows of their own."""
    data = one.record.data
    is_bound = data["kind"] == "cycle" and data["cycle"]["outcome"] == "scheduled"
    return is_bound and one.matrix is not None and len(one.record.lanes) == 1
