"""Devices that have to be made ready before a pod is bound: PreBind waits, notices, gives up, and starts again (v1.36).

The cases are those of upstream's dynamicresources_test.go, played by a driver's writes to the claim's status.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_objects.devices import ResourceClaim
from kube_objects.serialize import manifest_of
from scheduler_core.emulations import EMULATIONS
from simulator.simulation import Record, Simulation
from simulator.simulation.commands.command import CommandError
from tests.conformance.testing import make_node, make_pod
from tests.core.dra.devices import DRIVER, Manifest, claim, device, device_class, resource_slice

ATTACHED, BROKEN = f"{DRIVER}/attached", f"{DRIVER}/broken"
FABRIC: Mapping[str, Any] = {"bindsToNode": True, "bindingConditions": [ATTACHED], "bindingFailureConditions": [BROKEN]}
CONFIG = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig: [{name: DynamicResources, args: {bindingTimeout: %s}}]
"""


def fabric(*names: str) -> Manifest:
    """Devices that a driver attaches to the node that needs them."""
    return resource_slice("", [device(name, **FABRIC) for name in names], pool="fabric", allNodes=True)


def start(*objects: Manifest, version: str = "v1.36.3", timeout: str = "10m") -> Simulation:
    config = CONFIG % timeout if version == "v1.36.3" else None
    simulation = Simulation.create(seed=1, emulation=EMULATIONS[version], config=config)
    create(simulation, make_node("n0").cpu("8").manifest(), device_class(), *objects)
    return simulation


def apply(simulation: Simulation, command: Mapping[str, Any]) -> list[Record]:
    return list(simulation.apply(command))


def create(simulation: Simulation, *objects: Manifest) -> None:
    apply(simulation, {"kind": "create", "objects": list(objects)})


def pod(name: str, *claims: str, **spec: Any) -> Manifest:
    entries = [{"name": f"c{i}", "resourceClaimName": each} for i, each in enumerate(claims)]
    return make_pod(name).cpu("1").spec(resourceClaims=entries, **spec).manifest()


def run(simulation: Simulation, seconds: float) -> list[Record]:
    return apply(simulation, {"kind": "run", "until": {"seconds": seconds}})


def outcomes(records: Sequence[Record]) -> list[tuple[str, str]]:
    told = [record.data["cycle"] for record in records if "cycle" in record.data]
    return [(cycle["outcome"], cycle.get("message", "")) for cycle in told]


def stored(simulation: Simulation, name: str) -> ResourceClaim:
    found = simulation.cluster.store.get("ResourceClaim", f"default/{name}")
    assert isinstance(found, ResourceClaim)
    return found


def say(simulation: Simulation, name: str, **conditions: str) -> None:
    """The driver writes conditions of the claim's device into its status, as `kubectl patch --subresource` would."""
    given_to = stored(simulation, name)
    assert given_to.allocation is not None
    manifest = dict(manifest_of(given_to))
    (given,) = given_to.allocation.devices
    types = {"attached": ATTACHED, "broken": BROKEN}
    listed = [
        {"type": types[type_], "status": status, "reason": "Fabric", "message": 'link "0"'}
        for type_, status in conditions.items()
    ]
    entry = {"driver": given.id.driver, "pool": given.id.pool, "device": given.id.device, "conditions": listed}
    manifest["status"] = {**manifest["status"], "devices": [entry]}
    apply(simulation, {"kind": "update", "objects": [manifest]})


def node_of(simulation: Simulation, name: str) -> str:
    found = simulation.cluster.find_pod(f"default/{name}")
    assert found is not None
    return found.node_name


def written(simulation: Simulation, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = manifest_of(stored(simulation, name)).get("status", {})
    return found


def test_a_pod_is_bound_at_the_first_look_after_its_device_is_ready() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    assert outcomes(run(simulation, 1)) == [("waiting", "")]
    assert node_of(simulation, "p") == ""
    allocation = written(simulation, "x")["allocation"]
    assert allocation["allocationTimestamp"] == "2025-06-01T00:00:00Z"
    assert allocation["devices"]["results"][0] | {} == {
        "request": "r",
        "driver": DRIVER,
        "pool": "fabric",
        "device": "g",
        "bindingConditions": [ATTACHED],
        "bindingFailureConditions": [BROKEN],
    }
    fields = allocation["nodeSelector"]["nodeSelectorTerms"][0]["matchFields"]
    assert fields == [{"key": "metadata.name", "operator": "In", "values": ["n0"]}], "it binds to the node"
    say(simulation, "x", attached="False")
    assert outcomes(run(simulation, 10)) == []
    say(simulation, "x", attached="True")
    began = simulation.now
    assert outcomes(run(simulation, 10)) == [("scheduled", "")]
    assert node_of(simulation, "p") == "n0"
    assert simulation.now - began <= 10
    assert written(simulation, "x")["devices"][0]["conditions"][0]["status"] == "True", "what the driver wrote stays"


def test_time_jumps_to_the_look_that_finds_something() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    since = 0.001
    assert simulation.cluster.timers.peek() == pytest.approx(since + 600), "nothing will change before patience ends"
    run(simulation, 12)
    say(simulation, "x", attached="True")
    assert simulation.cluster.timers.peek() == pytest.approx(since + 15)
    run(simulation, 1.9)
    assert node_of(simulation, "p") == ""
    run(simulation, 0.2)
    assert node_of(simulation, "p") == "n0"


def test_a_device_that_is_ready_at_once_makes_nobody_wait() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    say(simulation, "x", attached="True")
    create(simulation, pod("q", "x"))
    assert ("scheduled", "") in outcomes(run(simulation, 0.1))
    assert node_of(simulation, "q") == "n0"


def test_a_failure_ends_the_attempt_and_the_next_one_lets_the_claim_go() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    say(simulation, "x", broken="True", attached="True")
    failed = 'device binding failed: claim=x, reason=Fabric, message="link \\"0\\""'
    assert outcomes(run(simulation, 5)) == [("error", f'running PreBind plugin "DynamicResources": {failed}')]
    assert written(simulation, "x")["allocation"] and "reservedFor" not in written(simulation, "x")
    again = outcomes(run(simulation, 3))
    assert [outcome for outcome, _ in again] == ["unschedulable", "waiting"], "the event of it woke the pod"
    assert "resourceclaim not available on the node" in again[0][1]
    assert "deallocation of ResourceClaim completed" in again[0][1]
    assert "devices" not in written(simulation, "x"), "the driver's words about the device went with it"


@pytest.mark.parametrize(("timeout", "seconds"), [("10m", 600), ("7s", 7)])
def test_patience_ends_at_the_timeout_of_the_arguments(timeout: str, seconds: int) -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"), timeout=timeout)
    run(simulation, seconds - 0.5)
    assert node_of(simulation, "p") == "" and written(simulation, "x")["allocation"]
    text = "device binding timeout: context deadline exceeded"
    assert outcomes(run(simulation, 1))[0] == ("error", f'running PreBind plugin "DynamicResources": {text}')
    assert [outcome for outcome, _ in outcomes(run(simulation, 4))][:1] == ["unschedulable"]


def test_who_shares_a_claim_waits_no_longer_than_the_claim_has_been_given() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"), timeout="20s")
    run(simulation, 12)
    create(simulation, pod("q", "x"))
    told = outcomes(run(simulation, 12))
    assert [outcome for outcome, _ in told][:2] == ["waiting", "error"]
    late = 'running PreBind plugin "DynamicResources": device binding timeout: claim=x'
    assert ("error", late) in told + outcomes(run(simulation, 4))


def test_devices_that_are_ready_are_taken_before_those_that_are_not() -> None:
    simulation = start(fabric("g"), resource_slice("n0", ["z"], pool="zzz"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    assert node_of(simulation, "p") == "n0"
    assert written(simulation, "x")["allocation"]["devices"]["results"][0]["device"] == "z"


def test_before_v1_36_such_devices_are_nobodys() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"), version="v1.34.1")
    assert [outcome for outcome, _ in outcomes(run(simulation, 1))] == ["unschedulable"]


def test_a_claim_that_is_deleted_meanwhile_is_missed_at_the_next_look() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    apply(simulation, {"kind": "delete", "objects": [{"kind": "ResourceClaim", "namespace": "default", "name": "x"}]})
    text = 'could not find ResourceClaim "default/x"'
    assert outcomes(run(simulation, 5)) == [("error", f'running PreBind plugin "DynamicResources": {text}')]


def test_a_pod_that_is_deleted_while_it_waits_gives_its_room_back() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    apply(simulation, {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "p"}]})
    assert not simulation.cluster.scheduler.waiting
    create(simulation, make_pod("q").cpu("8").manifest())
    run(simulation, 5)
    assert node_of(simulation, "q") == "n0"


def test_a_pod_that_is_preempted_while_it_waits_goes_back_to_the_queue() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    create(simulation, make_pod("q").cpu("8").priority(9).manifest())
    told = outcomes(run(simulation, 5))
    assert ("error", 'running PreBind plugin "DynamicResources": context canceled') in told
    assert node_of(simulation, "q") == "n0"
    assert simulation.cluster.find_pod("default/p") is not None, "it is not deleted"


def test_it_is_not_at_permit_that_it_waits() -> None:
    simulation = start(fabric("g"), claim("x"), pod("p", "x"))
    run(simulation, 1)
    with pytest.raises(CommandError, match="does not wait at Permit"):
        apply(simulation, {"kind": "permit", "pod": "default/p", "decision": "allow"})
    assert simulation.checkpoint() is None
