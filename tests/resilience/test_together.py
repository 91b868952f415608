"""Changes that wait behind each other are stored in one transaction, as if each had been stored by itself."""

from collections.abc import Iterator
from typing import Any

import pytest

from playground.clusters import commands, undo
from playground.engine import command_runner, commits, loaded_clusters, worker_session
from playground.engine.loaded_clusters import LoadedCluster
from playground.models import BeforeChange, Cluster, ClusterObject, Command, ObjectChange
from playground.store import queued_commands, watch_changes
from simulator.simulation import Record
from tests.resilience.command_story import begin, everything
from tests.web import node, pod


def labelled(name: str, value: str) -> dict[str, Any]:
    made = pod(name)
    made["metadata"]["labels"] = {"now": value}
    return made


def deleted(name: str) -> dict[str, Any]:
    return {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": name}]}


CHANGES: list[dict[str, Any]] = [
    {"kind": "create", "objects": [labelled("web", "a"), pod("other")]},
    {"kind": "update", "objects": [labelled("web", "b")]},
    {"kind": "create", "objects": [pod("other")]},  # fails: it exists
    {"kind": "update", "objects": [labelled("web", "b")]},  # as it is
    {"kind": "update", "objects": [labelled("web", "c")]},
    deleted("other"),
    {"kind": "create", "objects": [pod("other")]},
    deleted("web"),
    deleted("web"),  # fails: it is gone
]
STEP: dict[str, Any] = {"kind": "schedule_one"}
STORY = [{"kind": "create", "objects": [node("n")]}, STEP, *CHANGES, STEP]
# Its first change.
FIRST = 3


def told(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], list[int]]:
    """All that is stored of the story, and how many commands each commit was about."""
    cluster, sizes, commit = begin(STORY, config=""), [], commits.commit_records
    watch_changes.start_storing(Cluster.objects.get(pk=cluster))

    def counting(lease: Any, parts: Any, *more: Any) -> Any:
        sizes.append(len(parts))
        return commit(lease, parts, *more)

    with monkeypatch.context() as patch:
        patch.setattr(commits, "commit_records", counting)
        command_runner.apply_commands(cluster)
    before = BeforeChange.objects.filter(cluster_id=cluster).order_by("number")
    kept = ObjectChange.objects.filter(cluster_id=cluster).order_by("pk")
    found = everything(cluster)
    found["before"] = list(before.values_list("number", "body"))
    found["kept"] = list(kept.values_list("seq", "kind", "key", "before", "before_seq", "after"))
    found["what"] = list(Command.objects.filter(cluster_id=cluster).order_by("number").values_list("what", flat=True))
    return found, sizes


@pytest.mark.usefixtures("web")
def test_what_is_stored_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found, sizes = told(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(queued_commands, "BATCHED_KINDS", ())
        one_by_one, sizes_of_one = told(patch)
    assert sizes == [1, 1, len(CHANGES), 1]
    assert sizes_of_one == [1] * len(STORY)
    assert found == one_by_one
    assert [each["state"] for each in found["commands"]].count("failed") == 2


@pytest.mark.usefixtures("web")
def test_each_is_taken_back_by_itself() -> None:
    cluster = begin([], config="")
    for command in CHANGES:
        commands.submit(cluster, command, author="somebody")
    command_runner.apply_commands(cluster)
    shown = []
    for _ in range(8):
        pods = ClusterObject.objects.filter(cluster_id=cluster, kind="Pod").order_by("key")
        shown.append([(each.key, each.manifest["metadata"].get("labels", {}).get("now")) for each in pods])
        if shown[-1]:
            undo.queue_undo(cluster, "undo", author="somebody")
            command_runner.apply_commands(cluster)
    both = ("default/other", None)
    assert shown == [
        [both],
        [both, ("default/web", "c")],
        [("default/web", "c")],
        [both, ("default/web", "c")],
        [both, ("default/web", "b")],
        [both, ("default/web", "b")],
        [both, ("default/web", "a")],
        [],
    ]


@pytest.mark.usefixtures("web")
def test_an_engine_that_breaks_in_the_middle_fails_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was ahead of it is stored, what is behind it carried out."""
    cluster, start = begin(STORY, config=""), LoadedCluster.begin

    def breaking(loaded: LoadedCluster, number: int, payload: dict[str, Any]) -> Iterator[Record]:
        if number == FIRST + 4:
            raise ZeroDivisionError
        return start(loaded, number, payload)

    monkeypatch.setattr(LoadedCluster, "begin", breaking)
    command_runner.apply_commands(cluster)
    failed = Command.objects.filter(cluster_id=cluster, state="failed").order_by("number")
    assert list(failed.values_list("number", flat=True)) == [FIRST + 2, FIRST + 4, FIRST + 8]
    assert Command.objects.filter(cluster_id=cluster, state="done").count() == len(STORY) - 3


@pytest.mark.usefixtures("web")
def test_no_more_than_is_stored_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who watches would have to list anew where very much changes at once."""
    whole, _ = told(monkeypatch)
    monkeypatch.setattr(worker_session, "CHUNK_RECORDS", 2)
    found, sizes = told(monkeypatch)
    assert sizes == [1, 1, 2, *[1] * (len(CHANGES) - 2), 1]
    assert found == whole


@pytest.mark.usefixtures("web")
def test_what_may_have_ended_a_worker_is_applied_by_itself() -> None:
    cluster = begin(STORY, config="")
    Command.objects.filter(cluster_id=cluster, number=FIRST + 1).update(attempts=1)
    first, second = Command.objects.filter(cluster_id=cluster, number__in=(FIRST, FIRST + 1)).order_by("number")
    assert queued_commands.list_batchable(first) == []
    assert queued_commands.list_batchable(second) == []
    assert loaded_clusters.load(Cluster.objects.get(pk=cluster)).simulation.seq == 0
