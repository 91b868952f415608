"""Statements that are put together once, rows that are written without objects: they do what the ORM does."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from playground.models import Cluster, ClusterObject, Command, Cycle, PodState
from playground.prepared import Json, Select, Update
from playground.store.rows import insert, save_new, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def cluster(db: None, django_user_model: Any) -> Cluster:
    owner = django_user_model.objects.create(username="somebody")
    return Cluster.objects.create(owner=owner, name="one", last_cycle_at=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC))


NAMED = Select(lambda name: Cluster.objects.filter(name=name).annotate(whose=F("owner__username")), str)
COLUMNS = ("name", "pace", "live", "last_cycle_at", "actors")
SHOWN = Select(lambda pk: Cluster.objects.filter(pk=pk).values_list(*COLUMNS), int)
LATER = Update(
    lambda pk, name, pace, at, actors, lasts: (
        Cluster.objects.filter(pk=pk),
        {"name": name, "pace": pace, "last_cycle_at": at, "actors": actors, "lease_expires": Now() + lasts},
    ),
    *(int, str, float, datetime, Json, timedelta),
)


def test_a_query_gives_what_the_orm_gives(cluster: Cluster) -> None:
    for _ in range(2):
        assert SHOWN.rows(cluster.pk) == list(Cluster.objects.filter(pk=cluster.pk).values_list(*COLUMNS))
        assert SHOWN.row(cluster.pk + 1) is None
        (found,) = NAMED.objects("one")
        assert (found, found.actors, found.whose) == (cluster, [], "somebody")
        assert vars(found).keys() >= {field.attname for field in Cluster._meta.concrete_fields}
        assert NAMED.object("another") is None


def test_an_update_writes_what_the_orm_writes(cluster: Cluster) -> None:
    before, at = timezone.now(), datetime(2027, 1, 1, tzinfo=UTC)
    for name in ("mark 1", "%s; DROP TABLE", "50 % \N{SNOWMAN}"):
        assert LATER(cluster.pk, name, 2.5, at, [name], timedelta(seconds=15)) == 1
        assert SHOWN.rows(cluster.pk) == [(name, 2.5, False, at, [name])]
    assert LATER(cluster.pk + 1, "nobody", 1.0, at, [], timedelta(0)) == 0
    expires = Cluster.objects.values_list("lease_expires", flat=True).get()
    assert expires is not None
    assert timedelta(seconds=10) < expires - before < timedelta(seconds=60)


def test_an_update_tells_what_it_made(cluster: Cluster) -> None:
    """As the lease's number: without asking once more."""
    counting = Update(
        lambda pk, by: (Cluster.objects.filter(pk=pk), {"seed": F("seed") + by}), *(int, int), telling="seed"
    )
    assert counting.value(cluster.pk, 5) == cluster.seed + 5
    assert counting.value(cluster.pk, 2) == cluster.seed + 7
    assert counting.value(cluster.pk + 1, 2) is None


def test_a_value_without_a_place_is_refused(cluster: Cluster) -> None:
    forgotten = Select(lambda pk, name: Cluster.objects.filter(pk=pk), int, str)
    with pytest.raises(ValueError, match="no place"):
        forgotten.rows(cluster.pk, "one")


def test_rows_are_those_that_objects_would_make(cluster: Cluster) -> None:
    kept = {"seq": 3, "t": 0.5, "pod": "default/a", "attempt": 1, "outcome": "scheduled", "node": "n", "message": ""}
    names = ("cluster_id", "number", *kept, "stopped_by")
    insert(Cycle, names, [(cluster.pk, number, *kept.values(), stopped) for number, stopped in ((1, None), (2, "{}"))])
    for number, stopped in ((3, None), (4, {})):
        Cycle.objects.create(cluster=cluster, number=number, stopped_by=stopped, **kept)
    rows = [{**row, "id": 0, "number": row["number"] % 2} for row in Cycle.objects.order_by("number").values()]
    assert rows[:2] == rows[2:]
    insert(Cycle, names, [])
    assert Cycle.objects.count() == 4


def test_a_row_takes_the_place_of_the_one_that_is_there(cluster: Cluster) -> None:
    names, key = ("cluster_id", "kind", "key", "manifest", "seq"), ("cluster", "kind", "key")
    for seq in (1, 2):
        rows = [(cluster.pk, "Pod", f"default/{i}", text({"b": seq, "a": [i]}), seq) for i in range(seq, 3)]
        insert(ClusterObject, names, rows, over=key)
    found = ClusterObject.objects.order_by("key").values_list("key", "manifest", "seq")
    assert list(found) == [("default/1", {"b": 1, "a": [1]}, 1), ("default/2", {"b": 2, "a": [2]}, 2)]


def test_the_columns_of_a_pod_are_all_of_the_model() -> None:
    from playground.store.objects import _OF_POD

    assert {"id", "cluster_id", *_OF_POD} == {field.attname for field in PodState._meta.concrete_fields}


def test_a_new_object_is_stored_as_the_orm_stores_it(cluster: Cluster) -> None:
    given = {"cluster": cluster, "kind": "run", "payload": {"kind": "run", "until": "idle"}, "author": "somebody"}
    ours, theirs = Command(number=1, **given), Command(number=2, **given)
    save_new(ours)
    theirs.save()
    rows = [Command.objects.filter(pk=one.pk).values() for one in (ours, theirs)]
    (mine,), (other,) = ([{**row, "id": 0, "number": 0, "created": None} for row in found] for found in rows)
    assert mine == other
    assert ours.pk != theirs.pk
    ours.kind = "reset"
    ours.save()
    assert Command.objects.count() == 2
