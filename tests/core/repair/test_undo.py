"""Undo of a repair that was carried out: every object is as it was, and every pod where it was."""

from typing import Any

import pytest

from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import mutable_copy
from simulator.simulation import Simulation
from simulator.simulation.fork import fork
from tests.core.repair.found_repairs import Manifest, found
from tests.core.repair.test_rules import CASES

# What the scheduler writes as it goes, and what a claim gets with its pod's node.
STATUS = "status"


def objects_of(simulation: Simulation) -> dict[tuple[str, str], Any]:
    """Each object but its status, with the pods' nodes."""
    found = {}
    for obj in simulation.cluster.store:
        manifest = mutable_copy(manifest_of(obj))
        manifest.pop(STATUS, None)
        found[obj.kind, obj.key] = manifest
    return found


@pytest.mark.parametrize(("plugin", "objects", "wanted"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)])
def test_all_is_as_it_was(plugin: str, objects: list[Manifest], wanted: set[str]) -> None:
    simulation, repairs = found(objects)
    before, config = objects_of(simulation), simulation.config_text
    for repair in repairs:
        trial = fork(simulation)
        for command in (*repair.commands, {"kind": "run", "until": "idle"}):
            list(trial.apply(command))
        assert trial.cluster.find_pod("default/p").node_name  # type: ignore[union-attr]
        for command in repair.inverse:
            list(trial.apply(command))
        assert objects_of(trial) == before, [edit.sentence["text"] for edit in repair.edits]
        assert (trial.config_text is None) == (config is None) or config is None
