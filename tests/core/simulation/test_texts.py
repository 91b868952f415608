"""What one checkpoint takes from the one before it: the same bytes as if it was the first."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from simulator.simulation import Simulation, texts
from simulator.simulation.texts import ObjectTexts
from tests.conformance.bench.workloads import node_manifest, pod_manifest

CHANGES: list[tuple[str, list[dict[str, Any]]]] = [
    # name, commands after the first checkpoint, with one after each of them
    ("nothing", []),
    ("pods get their nodes", [{"kind": "run", "until": {"cycles": 2}}, {"kind": "run", "until": "idle"}]),
    ("more is given", [{"kind": "create", "objects": [pod_manifest("pod-9", {}), node_manifest(9, "4", "8Gi")]}]),
    ("one in the middle goes", [{"kind": "delete", "objects": [{"kind": "Pod", "name": "pod-1"}]}]),
    (
        "given anew after it got its node",
        [{"kind": "run", "until": "idle"}, {"kind": "reset"}, {"kind": "run", "until": "idle"}],
    ),
    ("a node changes and changes back", [{"kind": "cordon", "node": "node-0"}, {"kind": "uncordon", "node": "node-0"}]),
]


def _told(simulation: Simulation, command: dict[str, Any]) -> Iterator[None]:
    """As the playground does: what a record changed is stored, and its text noted."""
    for record in simulation.apply(command):
        for _, kind, key, manifest in record.manifests:
            if manifest is not None:
                simulation.texts.add_text(record.objects[kind, key], manifest)
        yield


def _untold(simulation: Simulation, command: dict[str, Any]) -> Iterator[None]:
    for _ in simulation.apply(command):
        yield


@pytest.mark.parametrize("carried_out", [_told, _untold])
@pytest.mark.parametrize("commands", [case[1] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_a_checkpoint_is_the_same_whatever_was_known_of_its_texts(
    commands: list[dict[str, Any]], carried_out: Callable[[Simulation, dict[str, Any]], Iterator[None]]
) -> None:
    simulation = Simulation.create(seed=7)
    objects = [node_manifest(i, "4", "8Gi") for i in range(3)] + [pod_manifest(f"pod-{i}", {}) for i in range(4)]
    for command in ({"kind": "create", "objects": objects}, *commands):
        for _ in carried_out(simulation, command):
            pass
        written = simulation.checkpoint(plain=True)
        known, simulation.texts = simulation.texts, ObjectTexts()
        assert written == simulation.checkpoint(plain=True)
        simulation.texts = known
        assert written == simulation.checkpoint(plain=True)


def test_what_a_small_cluster_was_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "SOME", 0)
    texts.clear_parse_cache()
    simulation, most = Simulation.create(seed=7), 0
    for number in range(40):
        pods = [pod_manifest(f"pod-{number}-{i}", {}) for i in range(5)]
        list(simulation.apply({"kind": "create", "objects": pods}))
        written = simulation.checkpoint()
        assert written is not None
        assert Simulation.restore(written).cluster.store.size == 5
        most = max(most, texts.parse_cached.cache_info().currsize)
        gone = [{"kind": "Pod", "name": pod["metadata"]["name"]} for pod in pods]
        list(simulation.apply({"kind": "delete", "objects": gone}))
    assert 5 < most <= texts.VERSIONS * 5
