"""Prepared queries and rows written without objects do what the ORM does."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from playground.models import Cluster, ClusterObject, Command, Cycle, PodState
from playground.prepared import (
    Changes,
    JsonParam,
    request_update,
    select_object,
    select_objects,
    select_rows,
    update,
    update_object,
)
from playground.store.rows import encode_json, insert_rows, save_new

pytestmark = pytest.mark.django_db


@pytest.fixture
def cluster(db: None, django_user_model: Any) -> Cluster:
    owner = django_user_model.objects.create(username="somebody")
    return Cluster.objects.create(owner=owner, name="one", last_cycle_at=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC))


COLUMNS = ("name", "pace", "live", "last_cycle_at", "actors")


@select_objects
def select_named(*, name: str) -> QuerySet[Cluster]:
    return Cluster.objects.filter(name=name).annotate(owner_name=F("owner__username"))


@select_object
def find_named(*, name: str) -> QuerySet[Cluster]:
    return Cluster.objects.filter(name=name)


@select_rows
def select_columns(*, pks: list[int]) -> QuerySet[Cluster, Any]:
    return Cluster.objects.filter(pk__in=pks).order_by("pk").values_list(*COLUMNS)


@update()
def change(
    *, pk: int, name: str, pace: float, at: datetime | None, actors: JsonParam, lasts: timedelta
) -> Changes[Cluster]:
    values = {"name": name, "pace": pace, "last_cycle_at": at, "actors": actors, "lease_expires": Now() + lasts}
    return Changes(Cluster.objects.filter(pk=pk), values)


@request_update(returning="seed")
def add_to_seed(*, pk: int, summand: int) -> Changes[Cluster]:
    return Changes(Cluster.objects.filter(pk=pk), {"seed": F("seed") + summand})


@update_object()
def rename(*, pk: int, name: str) -> Changes[Cluster]:
    return Changes(Cluster.objects.filter(pk=pk), {"name": name})


def test_a_query_returns_what_the_orm_returns(cluster: Cluster) -> None:
    for _ in range(2):
        assert select_columns(pks=[cluster.pk]) == list(Cluster.objects.values_list(*COLUMNS))
        assert select_columns(pks=[cluster.pk + 1]) == []
        (found,) = select_named(name="one")
        assert (found, found.actors, found.owner_name) == (cluster, [], "somebody")  # type: ignore[attr-defined]
        assert vars(found).keys() >= {field.attname for field in Cluster._meta.concrete_fields}
        assert find_named(name="another") is None


@pytest.mark.parametrize("count", range(6))
def test_a_list_may_have_any_length(count: int, cluster: Cluster) -> None:
    names = [f"more {n}" for n in range(count)]
    pks = [Cluster.objects.create(owner=cluster.owner, name=name).pk for name in names]
    assert [row[0] for row in select_columns(pks=pks)] == names


def test_an_update_writes_what_the_orm_writes(cluster: Cluster) -> None:
    before, at = timezone.now(), datetime(2027, 1, 1, tzinfo=UTC)
    for name in ("placeholder 1", "%s; DROP TABLE", "50 % \N{SNOWMAN}"):
        lasts = timedelta(seconds=15)
        assert change(pk=cluster.pk, name=name, pace=2.5, at=at, actors=[name], lasts=lasts) == 1
        assert select_columns(pks=[cluster.pk]) == [(name, 2.5, False, at, [name])]
    assert change(pk=cluster.pk + 1, name="nobody", pace=1.0, at=at, actors=[], lasts=timedelta(0)) == 0
    expires = Cluster.objects.values_list("lease_expires", flat=True).get()
    assert expires is not None
    assert timedelta(seconds=10) < expires - before < timedelta(seconds=60)
    assert change(pk=cluster.pk, name="x", pace=1.0, at=None, actors=[], lasts=timedelta(0)) == 1
    assert Cluster.objects.get().last_cycle_at is None


def test_an_update_returns_the_row(cluster: Cluster) -> None:
    assert add_to_seed(pk=cluster.pk, summand=5)() == (cluster.seed + 5,)
    assert add_to_seed(pk=cluster.pk, summand=2)() == (cluster.seed + 7,)
    assert add_to_seed(pk=cluster.pk + 1, summand=2)() is None
    renamed = rename(pk=cluster.pk, name="two")
    assert renamed is not None
    assert (renamed, renamed.name, renamed.seed) == (cluster, "two", cluster.seed + 7)
    assert rename(pk=cluster.pk + 1, name="two") is None


def test_a_parameter_that_the_query_does_not_use_is_an_error(cluster: Cluster) -> None:
    @select_objects
    def find(*, pk: int, name: str) -> QuerySet[Cluster]:
        return Cluster.objects.filter(pk=pk)

    with pytest.raises(ValueError, match="a value has no place"):
        find(pk=cluster.pk, name="one")


def test_other_arguments_are_an_error() -> None:
    with pytest.raises(TypeError, match="rename takes pk, name, not pk"):
        rename(pk=1)  # type: ignore[call-arg]  # that is the error
    with pytest.raises(TypeError, match="rename takes pk, name, not pk, other"):
        rename(pk=1, other="two")  # type: ignore[call-arg]  # likewise


def test_a_related_manager_is_an_error(cluster: Cluster) -> None:
    """Its condition on the related object would be compiled into the statement."""
    with pytest.raises(TypeError, match="needs the model's manager"):
        cluster.commands.find_running(cluster_id=cluster.pk, after=0)


def test_rows_are_those_that_objects_would_make(cluster: Cluster) -> None:
    kept = {"seq": 3, "t": 0.5, "pod": "default/a", "attempt": 1, "outcome": "scheduled", "node": "n", "message": ""}
    names = ("cluster_id", "number", *kept, "stopped_by")
    insert_rows(
        Cycle, names, [(cluster.pk, number, *kept.values(), stopped) for number, stopped in ((1, None), (2, "{}"))]
    )
    for number, stopped in ((3, None), (4, {})):
        Cycle.objects.create(cluster=cluster, number=number, stopped_by=stopped, **kept)
    rows = [{**row, "id": 0, "number": row["number"] % 2} for row in Cycle.objects.order_by("number").values()]
    assert rows[:2] == rows[2:]
    insert_rows(Cycle, names, [])
    assert Cycle.objects.count() == 4


def test_a_row_takes_the_place_of_the_one_that_is_there(cluster: Cluster) -> None:
    names, key = ("cluster_id", "kind", "key", "manifest", "seq"), ("cluster", "kind", "key")
    for seq in (1, 2):
        rows = [(cluster.pk, "Pod", f"default/{i}", encode_json({"b": seq, "a": [i]}), seq) for i in range(seq, 3)]
        insert_rows(ClusterObject, names, rows, over=key)
    found = ClusterObject.objects.order_by("key").values_list("key", "manifest", "seq")
    assert list(found) == [("default/1", {"b": 1, "a": [1]}, 1), ("default/2", {"b": 2, "a": [2]}, 2)]


def test_the_columns_of_a_pod_are_all_of_the_model() -> None:
    from playground.store.object_rows import _OF_POD

    assert ["id", "cluster_id", *_OF_POD] == [field.attname for field in PodState._meta.concrete_fields]


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
