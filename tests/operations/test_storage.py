"""How many bytes a cycle takes, as docs/explanation/performance.md says; and what storing it asks of the engine."""

import dataclasses
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_objects import parse
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.table import BY_TYPE
from playground.accounts.services import get_local_user
from playground.clusters import lifecycle
from playground.engine import command_runner
from playground.models import NodeState, PodState
from playground.store.record_batches import PackedRows, RecordRow, pack_rows
from simulator.simulation import Simulation
from tests.web import node, pod

PODS = 200
SIZES = [
    # name                     nodes  different  alone: record  matrix  together: record  matrix
    ("100 nodes", 100, True, (275, 360), (72, 133)),
    ("5,000 nodes", 5000, True, (457, 944), (173, 772)),
    ("5,000 equal nodes", 5000, False, (751, 241), (249, 31)),
]


@pytest.mark.parametrize(("nodes", "different", "alone", "shared"), [c[1:] for c in SIZES], ids=[c[0] for c in SIZES])
def test_bytes_of_a_cycle(nodes: int, different: bool, alone: tuple[int, int], shared: tuple[int, int]) -> None:
    chance = random.Random(1)

    def of(*choices: int) -> int:
        return chance.choice(choices) if different else choices[0]

    objects = [
        node(f"node-{i}", zone=f"z{i % 3}", cpu=str(of(4, 8, 16, 32)), memory=f"{of(8, 16, 32, 64)}Gi")
        for i in range(nodes)
    ]
    objects += [
        pod(f"web-{i}", cpu=f"{of(100, 250, 500, 1000, 2000)}m", memory=f"{of(64, 128, 512, 1024, 4096)}Mi")
        for i in range(PODS)
    ]
    simulation = Simulation.create(seed=1)
    list(simulation.apply({"kind": "create", "objects": objects}))
    cycles = list(simulation.apply({"kind": "run", "until": "idle"}))
    bodies = [json.dumps(cycle.data, sort_keys=True, separators=(",", ":")) for cycle in cycles]
    assert len(cycles) == PODS
    found = [RecordRow(cycle, body, cycle.matrix.to_plain()) for cycle, body in zip(cycles, bodies, strict=True)]
    # A step is stored by itself, a run of many in rows that they share.
    assert bytes_of([pack_rows([one]) for one in found]) == pytest.approx(alone, rel=0.2)
    assert bytes_of([pack_rows(found)]) == pytest.approx(shared, rel=0.2)


def bytes_of(commits: Sequence[PackedRows]) -> tuple[float, float]:
    """A cycle's record and matrix in these commits."""
    records = sum(len(row[-1]) for commit in commits for row in commit.records)
    return records / PODS, sum(len(row[-1]) for commit in commits for row in commit.matrices) / PODS


def test_what_is_stored_is_not_parsed_again(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a record changed travels in the record: each manifest is read once, by the command that brings it.

    Pods that differ in their names alone are one template's: it is read with the first of them.
    """
    read: list[str] = []

    def counted(kind: Kind) -> Kind:
        def parsed(manifest: Mapping[str, Any], problems: Any) -> Any:
            read.append(kind.name)
            return kind.parse(manifest, problems)

        return dataclasses.replace(kind, parse=parsed)

    objects = [*(node(f"node-{i}") for i in range(5)), *(pod(f"web-{i}") for i in range(20))]
    made = lifecycle.create_cluster(get_local_user(), "read once", seed=1, objects=objects)
    monkeypatch.setattr(parse, "BY_TYPE", {type_: counted(kind) for type_, kind in BY_TYPE.items()})
    command_runner.apply_commands(made.pk)
    assert (read.count("Node"), read.count("Pod")) == (5, 1)
    assert (NodeState.objects.filter(cluster=made).count(), PodState.objects.filter(cluster=made).count()) == (5, 20)
