"""Whatever happens to a cluster with controllers, it converges within its limits; a seed is always the same bytes."""

import json
from typing import Any

import pytest

from kube_controllers.counting import Tally
from kube_objects.parse import parse_object
from kube_objects.serialize import manifest_of
from simulator.simulation import Simulation
from tests.core.controllers.chaos import Storm, play
from tests.core.controllers.chaos_features import GALES

SEEDS = range(10)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_storm_ends_as_it_was_wished_for(seed: int) -> None:
    assert play(seed, blows=10).broken == []


@pytest.mark.parametrize("of", GALES)
def test_so_does_one_over_what_else_lives(of: str) -> None:
    assert play(1, 8, GALES[of]).broken == []


def test_a_daemon_whose_node_others_have_filled_waits_for_room() -> None:
    """Its node was cordoned, and mended while pods of a group that had grown were waiting: they came first."""
    storm = play(520, 12, GALES["node-groups"])
    assert storm.broken == []
    assert any("Insufficient cpu" in line and '"pod": "default/everywhere-' in line for line in storm.records)


def test_several_evictions_at_once_do_not_break_a_budget() -> None:
    """Each of a descheduler's reconciles may evict many pods: a budget counts all of them."""
    storm = play(2, 12, GALES["descheduler"])
    assert storm.broken == []
    assert sum('"actor": "descheduler"' in line for line in storm.records) > 3


def test_the_same_seed_is_the_same_bytes() -> None:
    assert play(3, blows=4).records == play(3, blows=4).records
    assert play(3, blows=4).records != play(4, blows=4).records


def records_of(simulation: Simulation, seconds: float) -> list[str]:
    command: dict[str, Any] = {"kind": "run", "until": {"seconds": seconds}}
    return [json.dumps(record.data, sort_keys=True) for record in simulation.apply(command)]


@pytest.mark.parametrize("blows", [1, 4, 7])
def test_a_checkpoint_goes_on_to_the_same_bytes(blows: int) -> None:
    storm = Storm(seed=11)
    for _ in range(blows):
        storm.blow()
    storm.edit()
    written = storm.simulation.checkpoint()
    assert written is not None
    restored = Simulation.restore(written, record_steps=False)
    assert records_of(restored, 300) == records_of(storm.simulation, 300)


def test_a_run_that_was_left_in_the_middle_goes_on_to_the_same_bytes() -> None:
    """A worker that is killed leaves a checkpoint of some record before; the others are made again."""
    storm = Storm(seed=12)
    storm.edit()
    records = storm.simulation.apply({"kind": "run", "until": {"seconds": 100}})
    for _ in range(15):
        next(records)
    written = storm.simulation.checkpoint()
    assert written is not None
    # The run that goes on ends later: that its time has come is not told at the same moment.
    rest = [json.dumps(record.data, sort_keys=True) for record in records if record.data["kind"] != "clock"]
    restored = Simulation.restore(written, record_steps=False)
    assert [line for line in records_of(restored, 100) if line in rest] == rest[: len(rest)]


def test_what_is_counted_as_pods_come_and_go_is_what_there_is() -> None:
    storm = Storm(seed=5)
    for _ in range(10):
        storm.blow()
        objects = storm.objects()
        owners = objects.of_kind("ReplicaSet")
        assert owners
        for owner in owners:
            kept, fresh = objects.tally(owner), Tally(map(objects.counted, objects.owned(owner, "Pod")))
            assert [getattr(kept, field) for field in Tally.__slots__] == [
                getattr(fresh, field) for field in Tally.__slots__
            ]


def test_every_object_is_stored_as_its_manifest_says() -> None:
    """Versions are read by what is new in them: that must come to the same as reading all of it."""
    storm = Storm(seed=3)
    for _ in range(8):
        storm.blow()
        objects = list(storm.simulation.cluster.store)
        assert {"Pod", "ReplicaSet", "Deployment", "Node"} <= {obj.kind for obj in objects}
        assert [obj for obj in objects if parse_object(obj.manifest) != obj] == []
        assert [obj.key for obj in objects if manifest_of(obj) is not obj.manifest] == []
