"""Members of a gang that share a claim: the devices that one is given in the group's cycle are the others', too."""

from typing import Any

from kube_objects.devices import ResourceClaim
from scheduler_core.emulations import EMULATIONS
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.dra.devices import Manifest, claim, device_class, resource_slice

WITH_GANGS = EMULATIONS["v1.36.3 GangScheduling=true,GenericWorkload=true"]


def group(count: int) -> Manifest:
    policy = {"gang": {"minCount": count}}
    metadata = {"name": "g", "namespace": "default"}
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": metadata,
        "spec": {"schedulingPolicy": policy},
    }


def member(name: str, claim_name: str, cpu: str = "1") -> Manifest:
    entries = [{"name": "c", "resourceClaimName": claim_name}]
    spec: dict[str, Any] = {"resourceClaims": entries, "schedulingGroup": {"podGroupName": "g"}}
    return make_pod(name).cpu(cpu).spec(**spec).manifest()


def start(*objects: Manifest) -> Simulation:
    simulation = Simulation.create(seed=1, emulation=WITH_GANGS)
    shared = [make_node("n0").cpu("4").manifest(), device_class(), resource_slice("n0", ["a"]), claim("x")]
    list(simulation.apply({"kind": "create", "objects": [*shared, *objects]}))
    return simulation


def nodes_after(simulation: Simulation, seconds: float) -> dict[str, str]:
    list(simulation.apply({"kind": "run", "until": {"seconds": seconds}}))
    return {pod.name: pod.node_name for pod in simulation.cluster.store.list("Pod")}


def stored(simulation: Simulation) -> ResourceClaim:
    found = simulation.cluster.store.get("ResourceClaim", "default/x")
    assert isinstance(found, ResourceClaim)
    return found


def test_members_share_what_one_of_them_was_given() -> None:
    simulation = start(group(2), member("p", "x"), member("q", "x"))
    assert nodes_after(simulation, 30) == {"p": "n0", "q": "n0"}
    given = stored(simulation)
    assert given.allocation is not None and [one.id.device for one in given.allocation.devices] == ["a"]
    assert sorted(consumer.name for consumer in given.reserved_for) == ["p", "q"]
    assert not simulation.cluster.in_flight


def test_a_gang_that_does_not_fit_gives_the_devices_back() -> None:
    simulation = start(group(2), member("p", "x"), member("q", "x", cpu="4"))
    assert nodes_after(simulation, 5) == {"p": "", "q": ""}
    assert not simulation.cluster.in_flight
    assert stored(simulation).allocation is None
    alone = make_pod("r").cpu("1").spec(resourceClaims=[{"name": "c", "resourceClaimName": "x"}]).manifest()
    list(simulation.apply({"kind": "create", "objects": [alone]}))
    assert nodes_after(simulation, 5)["r"] == "n0"
