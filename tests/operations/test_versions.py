"""What rows of pods and cycles leave out is found all the same: at any moment, and in branches."""

import json
from typing import Any

import pytest

from playground.branches import services as branches
from playground.clusters import commands
from playground.engine import command_runner
from playground.models import FOREVER, Cluster, ClusterObject, Cycle, Event, PodState
from playground.objects import pod_reads, queue_reads
from playground.store import event_rows
from tests.resilience.command_story import STORY, begin, bodies

MANY = 1000
Seen = dict[int, tuple[Any, dict[str, Any]]]
Played = tuple[Cluster, Seen, dict[int, dict[str, Any]]]


def manifests(cluster: Cluster) -> dict[str, Any]:
    return dict(ClusterObject.objects.filter(cluster=cluster, kind="Pod").values_list("key", "manifest"))


def look(cluster: Cluster, of: dict[str, Any], seq: int | None) -> tuple[Any, dict[str, Any]]:
    """The queue, and each pod, now or after the record `seq`; but for its cycles, some of which end later."""
    found = {key: pod_reads.read_past_pod(cluster.pk, key, of[key], seq) for key in of}
    return queue_reads.read_lanes(cluster, MANY, seq), {
        key: dict(pod, cycles=None) for key, pod in found.items() if pod
    }


@pytest.fixture
def played(web: None) -> Played:
    """A story of all that may happen to pods; what was seen after each of its commands, by its last record."""
    number = begin([])
    seen: Seen = {}
    of: dict[int, dict[str, Any]] = {}
    for command in STORY:
        commands.submit(number, command)
        command_runner.apply_commands(number)
        cluster = Cluster.objects.get(pk=number)
        of[cluster.revision] = manifests(cluster)
        seen[cluster.revision] = look(cluster, of[cluster.revision], None)
    return cluster, seen, of


def test_the_past_is_read_as_it_was_seen(played: Played) -> None:
    cluster, seen, of = played
    shortened = PodState.objects.filter(cluster=cluster, uid="")
    assert shortened.count() > 10 and not shortened.filter(until=FOREVER).exists()
    assert not shortened.exclude(node="").exists()
    for seq, was in seen.items():
        assert look(cluster, of[seq], seq) == was, seq


def test_a_branch_says_all_by_itself(played: Played) -> None:
    cluster, seen, of = played
    for seq, was in seen.items():
        made = branches.fork_cluster(cluster, {"seq": seq})
        assert look(made, of[seq], None) == was, seq
        assert not PodState.objects.filter(cluster=made, uid="", until=FOREVER).exists()
        made.delete()


def events_of_records(cluster: Cluster) -> list[tuple[int, str, str, str]]:
    """What records say, in their order."""
    found = [json.loads(text) for text in bodies(cluster.pk)]
    return [
        (record["seq"], each["object"], each["reason"], each["message"])
        for record in found
        for each in record.get("events", ())
    ]


def short(found: list[event_rows.EventEntry]) -> list[tuple[int, str, str, str]]:
    return [(each.seq, each.object, each.reason, each.message) for each in found]


def test_events_are_those_of_the_records(played: Played) -> None:
    cluster, _, _ = played
    wanted = events_of_records(cluster)
    by_cycles = Cycle.objects.filter(cluster=cluster, tells_event=True)
    assert by_cycles.count() > 5
    assert not Event.objects.filter(cluster=cluster, seq__in=by_cycles.values("seq")).exists()
    found, end = event_rows.read_events_after(cluster.pk, event_rows.ReadPosition(), cluster.revision, MANY)
    assert short(found) == wanted
    assert [each.number for each in found] == sorted({each.number for each in found})
    # Heard piece by piece it is the same.
    heard, pieces = event_rows.ReadPosition(), list[event_rows.EventEntry]()
    for seq in range(0, cluster.revision + 3, 3):
        more, heard = event_rows.read_events_after(cluster.pk, heard, seq, MANY)
        pieces += more
    assert (pieces, heard) == (found, end)
    for pod in {each.object for each in found if each.kind == "Pod"}:
        assert short(event_rows.read_events_of_pod(cluster.pk, pod, cluster.revision, MANY)) == [
            each for each in wanted if each[1] == pod
        ]
    newest, _ = event_rows.read_events_after(cluster.pk, event_rows.ReadPosition(), cluster.revision, 3)
    assert newest == found[-3:]
