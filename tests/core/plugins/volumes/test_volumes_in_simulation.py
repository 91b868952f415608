"""Pods with claims in a whole simulation: bound, waiting, woken."""

from collections.abc import Mapping
from typing import Any

from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.storage import HOST, SELECTED_NODE, Manifest, claim, storage_class, using, volume


def start(*objects: Manifest) -> Simulation:
    simulation = Simulation.create(seed=1)
    nodes = [make_node(name).manifest() for name in ("n0", "n1")]
    classes = [storage_class("local"), storage_class("made", "d.csi"), storage_class("now", waits=False)]
    apply(simulation, {"kind": "create", "objects": [*nodes, *classes, *objects]})
    return simulation


def apply(simulation: Simulation, command: Mapping[str, Any]) -> list[Record]:
    return list(simulation.apply(command))


def run(simulation: Simulation) -> list[Record]:
    return apply(simulation, {"kind": "run", "until": "idle"})


def pod(name: str, *claims: str) -> Manifest:
    return using(make_pod(name), *claims).manifest()


def outcome(records: list[Record]) -> dict[str, tuple[str, str | None]]:
    cycles = [record.data["cycle"] for record in records if record.data["kind"] == "cycle"]
    return {cycle["pod"]: (cycle["outcome"], cycle["node"]) for cycle in cycles}


def test_binding_a_pod_binds_its_claim_and_the_next_pod_gets_the_next_volume() -> None:
    volumes = [volume("small", "6Gi", on={HOST: "n1"}), volume("large", "9Gi", on={HOST: "n1"})]
    simulation = start(*volumes, claim("c"), claim("d"), claim("e"), *(pod(name, name) for name in "cde"))
    records = run(simulation)
    got = outcome(records)
    assert got["default/c"] == got["default/d"] == ("scheduled", "n1")
    assert got["default/e"] == ("unschedulable", None)
    store = simulation.cluster.store
    claims = [store.get("PersistentVolumeClaim", f"default/{name}") for name in "cde"]
    assert [found.volume_name for found in claims if found] == ["small", "large", ""]
    writes = [(op, kind, key) for op, kind, key, _ in records[0].manifests]
    assert writes == [
        ("update", "PersistentVolume", "small"),
        ("update", "PersistentVolumeClaim", "default/c"),
        ("update", "Pod", "default/c"),
    ]


def test_a_claim_whose_volume_is_to_be_made_waits_for_a_provisioner_that_is_not_played() -> None:
    simulation = start(claim("c", class_name="made"), pod("first", "c"))
    node = outcome(run(simulation))["default/first"][1]
    found = simulation.cluster.store.get("PersistentVolumeClaim", "default/c")
    assert found is not None
    assert found.annotations == {SELECTED_NODE: node}
    assert found.phase == "Pending"
    apply(simulation, {"kind": "create", "objects": [pod("second", "c")]})
    assert outcome(run(simulation))["default/second"] == ("scheduled", node)


def test_a_new_volume_wakes_the_pod_that_waits_for_one() -> None:
    simulation = start(claim("c"), pod("p", "c"))
    assert outcome(run(simulation))["default/p"][0] == "unschedulable"
    apply(simulation, {"kind": "create", "objects": [volume("v", on={HOST: "n0"})]})
    assert outcome(run(simulation))["default/p"] == ("scheduled", "n0")


def test_a_claim_that_should_be_bound_holds_its_pod_until_somebody_binds_it() -> None:
    simulation = start(claim("c", class_name="now"), volume("v", class_name="now", on={HOST: "n1"}), pod("p", "c"))
    records = run(simulation)
    message = records[-1].data["cycle"]["message"]
    assert message.startswith("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.")
    apply(simulation, {"kind": "update", "objects": [claim("c", class_name="now", bound_to="v")]})
    assert outcome(run(simulation))["default/p"] == ("scheduled", "n1")


def test_a_claim_for_one_pod_is_taken_from_a_less_important_pod() -> None:
    claims = [volume("v"), claim("c", bound_to="v", modes=["ReadWriteOncePod"])]
    user = using(make_pod("user").node("n1"), "c")
    simulation = start(*claims, user.manifest(), pod("equal", "c"))
    records = run(simulation)
    assert outcome(records)["default/equal"] == ("unschedulable", None)
    assert "2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode" in str(
        records[0].data["cycle"]["message"]
    )
    apply(simulation, {"kind": "create", "objects": [using(make_pod("vip").priority(10), "c").manifest()]})
    assert outcome(run(simulation))["default/vip"] == ("scheduled", "n1")
    assert simulation.cluster.store.get("Pod", "default/user") is None
