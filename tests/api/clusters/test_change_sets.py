"""Changes that belong together are one undo and one redo, however they are stored."""

from collections.abc import Sequence
from typing import Any

import pytest
import yaml

from playground.engine import command_runner
from playground.models import Command
from playground.store.undo_stacks import read_redo_stack, read_undo_stack, split_change_sets
from tests.core.gates.test_in_place import GANGS
from tests.web import Api, node, pod

V1_36 = "v1.36.3"
CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 8\n"
KIND_CLUSTER = {
    "apiVersion": "kind.x-k8s.io/v1alpha4",
    "kind": "Cluster",
    "featureGates": {pair.partition("=")[0]: True for pair in GANGS.split(",")},
}


def part_of(api: Api, cluster: int) -> dict[str, Any]:
    """Return what an import changes: gates, configuration, objects, controllers."""
    state = api.get(f"clusters/{cluster}/")
    objects = api.get(f"clusters/{cluster}/export/cluster/", format="json")["items"]
    return {
        "emulates": state["emulates"],
        "actors": state["actors"],
        "is configured": "parallelism: 8" in api.get(f"clusters/{cluster}/config/")["yaml"],
        "objects": sorted(item["metadata"]["name"] for item in objects),
    }


@pytest.mark.parametrize("life", [None, "with nodes"])
def test_an_import_is_one_undo_and_one_redo(api: Api, life: str | None) -> None:
    cluster = api.cluster([node("own")], emulates=V1_36)
    before = part_of(api, cluster)
    text = "---\n".join([*map(yaml.safe_dump, (KIND_CLUSTER, node("a"), pod("p"))), CONFIG])
    answer = api.post(f"clusters/{cluster}/import/", {"text": text, **({"live": life} if life else {})}, 200)
    command_runner.apply_commands(cluster)
    imported = part_of(api, cluster)
    assert imported["emulates"] == f"{V1_36} {GANGS}"
    assert imported["is configured"]
    assert {"a", "p"} <= set(imported["objects"])
    assert bool(imported["actors"]) == bool(life)
    count = 5 if life else 3
    number = answer["command"]
    for _ in range(2):
        undone = api.post(f"clusters/{cluster}/undo/", {}, 202)
        assert undone["changes"] == count
        command_runner.apply_commands(cluster)
        assert part_of(api, cluster) == before
        state = api.get(f"clusters/{cluster}/")
        assert state["can_undo"]["what"] == "create Node own"
        number += count + bool(life)
        assert (undone["number"], state["can_redo"]["number"]) == (number, number)
        redone = api.post(f"clusters/{cluster}/redo/", {}, 202)
        assert redone["changes"] == count
        command_runner.apply_commands(cluster)
        again = part_of(api, cluster)
        # The cluster lives: its autoscaler may have made other nodes.
        assert {**again, "objects": []} == {**imported, "objects": []}
        assert {"a", "p"} <= set(again["objects"])
        number += count + bool(life)
        assert api.get(f"clusters/{cluster}/")["can_redo"] is None
    states = Command.objects.filter(cluster=cluster).values_list("state", flat=True)
    assert set(states) == {"done"}


# A log, the oldest command first: "3:a" is change 3 of set a, "4:a-3" its undo, "5:a+4" the redo. Then both stacks.
LOGS: list[tuple[str, str, str]] = [
    ("", "", ""),
    ("1 2 3", "3 | 2 | 1", ""),
    ("1 2 3-2", "1", "3"),
    ("1 2 3-2 4+3", "4 | 1", ""),
    ("1 2 3-2 4+3 5-4", "1", "5"),
    ("1 2 3-2 4+3 5-4 6-1", "", "6 | 5"),
    ("1 2 3-2 4-1 5+4", "5", "3"),
    ("1 2 3-2 4", "4 | 1", ""),
    ("1:a 2:a 3", "3 | 2 1", ""),
    ("1:a 2:a 3:b 4:b", "4 3 | 2 1", ""),
    ("1:a 2:a 3:a-2 4:a-1", "", "4 3"),
    ("1:a 2:a 3:a-2 4:a-1 5:a+4 6:a+3", "6 5", ""),
    ("1:a 2:a 3:a-2 4:a-1 5:a+4 6:a+3 7:a-6 8:a-5", "", "8 7"),
    ("1:a 2 3:a", "3 | 2 | 1", ""),
    ("1:a 2 3:a 4:a-3 5-2 6:a-1", "", "6 | 5 | 4"),
    # A client went on with its session while its first writes were undone.
    ("1:a 2:a 3:a-2 4:a-1 5:a", "5", ""),
]


def commands_of(log: str) -> list[Command]:
    commands = []
    for word in log.split():
        columns: dict[str, Any] = {}
        for sign, column in (("-", "undoes"), ("+", "redoes")):
            word, found, inverted = word.partition(sign)
            if found:
                columns[column] = int(inverted)
        number, _, change_set = word.partition(":")
        commands.append(Command(number=int(number), change_set=change_set, **columns))
    return commands


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize(("log", "undo", "redo"), LOGS)
def test_the_stacks_of_a_log(log: str, undo: str, redo: str, batch: int) -> None:
    newest_first = commands_of(log)[::-1]

    def read(before: int) -> Sequence[Command]:
        return [command for command in newest_first if command.number < before][:batch]

    shown = [
        " | ".join(" ".join(str(command.number) for command in part) for part in split_change_sets(stack(read)))
        for stack in (read_undo_stack, read_redo_stack)
    ]
    assert shown == [undo, redo]
