"""Records and matrices that share a row are read as if each had its own; rows are cut in two and thinned out."""

import json

import pytest

from playground.engine import history_reads, retention
from playground.models import Cluster, CycleMatrix, Record
from playground.store import record_batches
from playground.store.batched_rows import MATRICES, RECORDS
from tests.web import Api, node, pod

PODS = 100


@pytest.fixture
def played(api: Api) -> Cluster:
    """A run at full speed: a record of the objects, that of the first cycle, and then many in a row."""
    objects = [
        *(node(f"n{i}", cpu="64", memory="256Gi") for i in range(3)),
        *(pod(f"p{i}", cpu="100m") for i in range(PODS)),
    ]
    cluster = api.cluster([*objects, pod("large", cpu="99")])
    api.command(cluster, kind="run", until="idle")
    return Cluster.objects.get(pk=cluster)


def ends(many: type[Record] | type[CycleMatrix], column: str) -> list[int]:
    return list(many.objects.order_by(column).values_list(column, flat=True))


def test_cycles_that_only_bind_share_a_row(played: Cluster) -> None:
    stored = {row.seq: row for row in Record.objects.all()}
    shared = [row for row in stored.values() if "\n" in row.body]
    assert shared and all(row.kind == "cycle" and row.body.count("\n") < record_batches.MOST_RECORDS for row in shared)
    for row in stored.values():
        records = [json.loads(text) for text in row.body.split("\n")]
        assert [record["seq"] for record in records] == list(range(row.seq - len(records) + 1, row.seq + 1))
        assert row.cycle == (records[-1]["cycle"]["number"] if "cycle" in records[-1] else None)
    # Whoever waits is asked for by itself.
    assert [row.seq for row in stored.values() if '"outcome":"unschedulable"' in row.body] == [played.revision]
    assert {row.cycle for row in stored.values()} - {None} == set(ends(CycleMatrix, "number"))


READS = [
    # name                     first, last
    ("all", 1, PODS + 2),
    ("from the middle of a row", 7, PODS + 2),
    ("to the middle of a row", 1, 20),
    ("within a row", 9, 12),
    ("one", 15, 15),
    ("more than there are", 90, 1000),
    ("none", 500, 600),
    ("nothing", 9, 8),
]


@pytest.mark.parametrize(("first", "last"), [c[1:] for c in READS], ids=[c[0] for c in READS])
def test_each_is_read_by_its_number(first: int, last: int, played: Cluster) -> None:
    wanted = range(first, min(last, played.revision) + 1)
    found = list(RECORDS.iterate_range(played.pk, first, last))
    assert [(seq, json.loads(text)["seq"]) for seq, text in found] == [(seq, seq) for seq in wanted]
    assert RECORDS.get_many(played.pk, range(first, last + 1)) == dict(found)
    cycles = range(first, min(last, played.cycle) + 1)
    matrices = list(MATRICES.iterate_range(played.pk, first, last))
    assert [number for number, _ in matrices] == list(cycles)
    assert MATRICES.get_many(played.pk, list(cycles)[::3]) == dict(matrices[::3])


@pytest.mark.parametrize("seq", [1, 2, 3, 20, 50, PODS + 1, PODS + 2])
def test_a_row_can_be_cut_anywhere(seq: int, played: Cluster) -> None:
    before = [dict(many.iterate_range(played.pk, 1, 1000)) for many in (RECORDS, MATRICES)]
    record_batches.split_row(played.pk, seq)
    assert seq in ends(Record, "seq")
    assert [dict(many.iterate_range(played.pk, 1, 1000)) for many in (RECORDS, MATRICES)] == before
    assert ends(CycleMatrix, "number") == [
        row for row in Record.objects.order_by("seq").values_list("cycle", flat=True) if row
    ]


def test_thinned_out_in_the_middle_of_a_row(played: Cluster) -> None:
    texts = history_reads.read_record_bodies(played.pk, 0, 1000)
    Cluster.objects.filter(pk=played.pk).update(thinned=0)
    assert retention.thin_cluster(played.pk, 30) == played.revision - 30
    assert [seq for seq, _ in RECORDS.iterate_range(played.pk, 1, 1000)] == list(
        range(played.revision - 29, played.revision + 1)
    )
    assert [number for number, _ in MATRICES.iterate_range(played.pk, 1, 1000)] == list(
        range(played.cycle - 29, played.cycle + 1)
    )
    assert history_reads.read_record_bodies(played.pk, 0, 1000) == texts


def test_rows_of_an_earlier_version_are_read(played: Cluster) -> None:
    """Each record and each matrix by itself, as that version wrote them."""
    texts, matrices = dict(RECORDS.iterate_range(played.pk, 1, 1000)), dict(MATRICES.iterate_range(played.pk, 1, 1000))
    asked = (
        history_reads.read_cycle(played.pk, 50),
        history_reads.read_matrix(played.pk, 50),
        history_reads.read_record_bodies(played.pk, 30, 40),
    )
    Record.objects.all().delete()
    CycleMatrix.objects.all().delete()
    for seq, text in texts.items():
        about = json.loads(text)
        number = about["cycle"]["number"] if "cycle" in about else None
        Record.objects.create(cluster=played, seq=seq, kind=about["kind"], cycle=number, body=text)
    for number, plain in matrices.items():
        CycleMatrix.objects.create(cluster=played, number=number, body=MATRICES.join([plain]))
    assert (
        history_reads.read_cycle(played.pk, 50),
        history_reads.read_matrix(played.pk, 50),
        history_reads.read_record_bodies(played.pk, 30, 40),
    ) == asked
    assert dict(RECORDS.iterate_range(played.pk, 1, 1000)) == texts
    assert dict(MATRICES.iterate_range(played.pk, 1, 1000)) == matrices
