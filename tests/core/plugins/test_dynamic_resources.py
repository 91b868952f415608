"""Claims in a whole simulation: made, given, waited for, freed. Pods are woken by what helps them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_objects.devices import ResourceClaim
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.emulations import EMULATIONS
from scheduler_core.framework.interface import PermitPlugin, PermitResult
from scheduler_core.framework.status import Code, Status
from scheduler_core.plugins.table import IN_TREE
from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.dra.devices import (
    DRIVER,
    Manifest,
    claim,
    device_class,
    request,
    resource_slice,
    template,
)


class Patient(PermitPlugin):
    """Pods named `patient-…` wait."""

    name = "Patient"

    def permit(self, state: Any, pod: Any, node: str) -> PermitResult:
        waits = pod.name.startswith("patient")
        return PermitResult(Status(Code.WAIT), 100.0) if waits else PermitResult()


PATIENT = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {permit: {enabled: [{name: Patient}]}}
- schedulerName: other
"""


def start(*objects: Manifest, **options: Any) -> Simulation:
    """Two nodes; n0 has two devices."""
    simulation = Simulation.create(seed=1, registry=IN_TREE.merged((Patient,)), config=PATIENT, **options)
    nodes = [make_node(name).cpu("8").manifest() for name in ("n0", "n1")]
    create(simulation, *nodes, device_class(), resource_slice("n0", ["a", "b"]), *objects)
    return simulation


def pod(name: str, *claims: str, template: str = "", **spec: Any) -> Manifest:
    """A pod that uses claims, and one that is made from a template."""
    entries: list[Manifest] = [{"name": f"c{i}", "resourceClaimName": each} for i, each in enumerate(claims)]
    entries += [{"name": "made", "resourceClaimTemplateName": template}] if template else []
    return make_pod(name).cpu("1").spec(resourceClaims=entries, **spec).manifest()


def apply(simulation: Simulation, command: Mapping[str, Any]) -> list[Record]:
    return list(simulation.apply(command))


def create(simulation: Simulation, *objects: Manifest) -> list[Record]:
    return apply(simulation, {"kind": "create", "objects": list(objects)})


def delete(simulation: Simulation, kind: str, name: str) -> list[Record]:
    namespace = {} if kind in ("DeviceClass", "ResourceSlice") else {"namespace": "default"}
    return apply(simulation, {"kind": "delete", "objects": [{"kind": kind, "name": name, **namespace}]})


def run(simulation: Simulation) -> dict[str, str | None]:
    """The node of each pod, after everything that can be scheduled was."""
    apply(simulation, {"kind": "run", "until": "idle"})
    return {each.name: each.node_name or None for each in simulation.cluster.store.list("Pod")}


def devices(simulation: Simulation) -> dict[str, list[str]]:
    """The devices of each claim that has some."""
    claims = simulation.cluster.store.list("ResourceClaim")
    return {each.name: [one.id.device for one in each.allocation.devices] for each in claims if each.allocation}


def stored(simulation: Simulation, name: str) -> ResourceClaim:
    found = simulation.cluster.store.get("ResourceClaim", f"default/{name}")
    assert isinstance(found, ResourceClaim)
    return found


def found_pod(simulation: Simulation, name: str) -> Pod:
    found = simulation.cluster.find_pod(f"default/{name}")
    assert found is not None
    return found


def where(simulation: Simulation, name: str) -> str:
    return simulation.cluster.queue.where(f"default/{name}").value


def test_a_pod_goes_where_its_devices_are_and_they_are_written_down() -> None:
    simulation = start(claim("x"), claim("y", request(count=2)), pod("p", "x"), pod("q", "y"))
    assert run(simulation) == {"p": "n0", "q": None}
    assert devices(simulation) == {"x": ["a"]}
    written = manifest_of(stored(simulation, "x"))
    assert written["status"] == {
        "allocation": {
            "devices": {"results": [{"request": "r", "driver": DRIVER, "pool": "n0", "device": "a"}]},
            "nodeSelector": {
                "nodeSelectorTerms": [
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0"]}]},
                ]
            },
        },
        "reservedFor": [{"resource": "pods", "name": "p", "uid": found_pod(simulation, "p").uid}],
    }
    assert written["metadata"]["finalizers"] == ["resource.kubernetes.io/delete-protection"]


def test_pods_share_a_claim_and_it_is_free_when_the_last_is_gone() -> None:
    simulation = start(claim("x"), pod("p", "x"), pod("q", "x"))
    assert run(simulation) == {"p": "n0", "q": "n0"}
    delete(simulation, "Pod", "p")
    assert devices(simulation) == {"x": ["a"]}
    delete(simulation, "Pod", "q")
    assert devices(simulation) == {}
    assert stored(simulation, "x").finalizers == ()


# The controller


def test_a_claim_is_made_from_the_template_and_goes_with_the_pod() -> None:
    asked = template("t", request(count=2), labels={"team": "a"})
    simulation = start(asked, pod("p", template="t"))
    (made,) = simulation.cluster.store.list("ResourceClaim")
    assert made.name.startswith("p-made-") and len(made.name) == len("p-made-") + 5
    owner = simulation.cluster.find_pod("default/p")
    assert owner is not None and owner.claim_names == {"made": made.name}
    assert (made.controller.uid, made.labels, made.requests[0].count) == (owner.uid, {"team": "a"}, 2)
    assert run(simulation) == {"p": "n0"}
    assert devices(simulation) == {made.name: ["a", "b"]}
    delete(simulation, "Pod", "p")
    assert simulation.cluster.store.list("ResourceClaim") == []


def test_a_pod_that_has_finished_needs_no_devices() -> None:
    simulation = start(template("t", request(count=2)), pod("p", template="t"), pod("q", template="t"))
    assert run(simulation) == {"p": "n0", "q": None}
    ended = dict(manifest_of(found_pod(simulation, "p")))
    apply(simulation, {"kind": "update", "objects": [{**ended, "status": {**ended["status"], "phase": "Succeeded"}}]})
    assert where(simulation, "q") in ("active", "backoff")
    apply(simulation, {"kind": "advance_clock", "seconds": 20})
    assert run(simulation)["q"] == "n0"


def test_a_template_that_comes_later() -> None:
    simulation = start(pod("p", template="t"))
    assert run(simulation) == {"p": None}
    event = 'PodResourceClaim made: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found'
    assert found_pod(simulation, "p").claim_names == {}
    records = create(simulation, template("t"))
    assert where(simulation, "p") == "active"
    assert run(simulation) == {"p": "n0"}
    again = create(simulation, pod("q", template="u"))
    assert event.replace('"t"', '"u"') in json.dumps([record.data for record in again]).replace('\\"', '"')
    assert records


def test_a_pod_written_anew_keeps_its_claim() -> None:
    simulation = start(template("t"), pod("p", template="t"))
    (made,) = simulation.cluster.store.list("ResourceClaim")
    apply(simulation, {"kind": "update", "objects": [pod("p", template="t")]})
    assert [each.name for each in simulation.cluster.store.list("ResourceClaim")] == [made.name]
    assert run(simulation) == {"p": "n0"}


def test_a_claim_that_was_deleted_by_mistake_is_made_again() -> None:
    simulation = start(template("t"), pod("p", template="t"))
    (made,) = simulation.cluster.store.list("ResourceClaim")
    delete(simulation, "ResourceClaim", made.name)
    (again,) = simulation.cluster.store.list("ResourceClaim")
    assert again.name != made.name
    assert run(simulation) == {"p": "n0"}


def test_a_pod_that_comes_with_a_node_uses_what_its_claim_has() -> None:
    simulation = start(claim("x"), pod("p", "x"))
    run(simulation)
    create(simulation, pod("q", "x", nodeName="n0"))
    assert [one.name for one in stored(simulation, "x").reserved_for] == ["p", "q"]


def test_an_evicted_pod_gives_its_devices_back() -> None:
    other = make_pod("other").cpu("8").priority(1000).node("n1").manifest()
    simulation = start(other, template("t", request(count=2)), pod("low", template="t"))
    assert run(simulation)["low"] == "n0"
    create(simulation, make_pod("high").cpu("8").priority(100).manifest())
    run(simulation)
    assert simulation.cluster.find_pod("default/low") is None
    assert simulation.cluster.store.list("ResourceClaim") == []


def test_the_same_commands_give_the_same_bytes_and_a_checkpoint_goes_on() -> None:
    def played() -> Simulation:
        made = start(template("t"), *(pod(f"p{i}", template="t") for i in range(3)))
        run(made)
        return made

    one, other = played(), played()
    assert one.checkpoint() == other.checkpoint()
    data = one.checkpoint()
    assert data is not None
    restored = Simulation.restore(data, registry=IN_TREE.merged((Patient,)))
    assert restored.checkpoint() == data
    for simulation in (one, restored):
        delete(simulation, "Pod", "p0")
        apply(simulation, {"kind": "advance_clock", "seconds": 20})
    assert run(one) == run(restored) == {"p1": "n0", "p2": "n0"}
    assert devices(one) == devices(restored)


# What wakes a pod


def waiting(*objects: Manifest) -> Simulation:
    """`p` was tried, and waits."""
    simulation = start(*objects)
    assert run(simulation)["p"] is None
    assert where(simulation, "p") in ("unschedulable", "gated")
    return simulation


OTHER = claim("other", request(count=2))
WAKES: list[tuple[str, Sequence[Manifest], Sequence[Manifest], bool]] = [
    ("its claim is created", [pod("p", "x")], [claim("x")], True),
    ("another claim is created", [pod("p", "x")], [claim("y")], False),
    ("a slice with devices", [claim("x", request(count=3)), pod("p", "x")], [resource_slice("n1", ["c", "d"])], True),
    ("its class", [claim("x", request(class_name="fast")), pod("p", "x")], [device_class("fast")], True),
    ("a node", [claim("x", request(count=3)), pod("p", "x")], [make_node("n2").manifest()], True),
    ("a pod", [claim("x", request(count=3)), pod("p", "x")], [make_pod("q").node("n1").manifest()], False),
]


@pytest.mark.parametrize(("name", "objects", "comes", "wakes"), WAKES)
def test_wakes(name: str, objects: Sequence[Manifest], comes: Sequence[Manifest], wakes: bool) -> None:
    simulation = waiting(*objects)
    create(simulation, *comes)
    assert (where(simulation, "p") in ("active", "backoff")) is wakes


def test_a_claim_that_is_freed_wakes() -> None:
    simulation = start(OTHER, claim("x"), pod("first", "other"))
    run(simulation)
    create(simulation, pod("p", "x"))
    assert run(simulation)["p"] is None
    delete(simulation, "Pod", "first")
    assert where(simulation, "p") in ("active", "backoff")


# Between Reserve and the binding


def permit(simulation: Simulation, name: str, decision: str) -> list[Record]:
    return apply(simulation, {"kind": "permit", "pod": f"default/{name}", "decision": decision})


@pytest.mark.parametrize("scheduler", ["default-scheduler", "other"])
def test_what_a_pod_at_permit_will_have_is_taken_for_all_profiles(scheduler: str) -> None:
    simulation = start(OTHER, claim("x"), pod("patient", "other"))
    run(simulation)
    assert devices(simulation) == {}, "nothing is written before the binding"
    create(simulation, pod("p", "x", schedulerName=scheduler), pod("q", "other", schedulerName=scheduler))
    assert run(simulation) == {"patient": None, "p": None, "q": None}
    permit(simulation, "patient", "allow")
    assert devices(simulation) == {"other": ["a", "b"]}
    assert simulation.cluster.in_flight == {}


def test_it_stays_so_under_another_configuration() -> None:
    simulation = start(OTHER, claim("x"), pod("patient", "other"))
    run(simulation)
    apply(simulation, {"kind": "set_config", "yaml": PATIENT.replace("other", "third")})
    create(simulation, pod("p", "x"))
    assert run(simulation)["p"] is None
    delete(simulation, "Pod", "patient")
    assert simulation.cluster.in_flight == {}
    # Nothing was written that could wake the pod: as upstream it waits until it has waited for too long.
    apply(simulation, {"kind": "advance_clock", "seconds": 400})
    assert run(simulation)["p"] == "n0"
    assert devices(simulation) == {"x": ["a"]}


def test_a_pod_deleted_at_permit_gives_everything_back() -> None:
    simulation = start(template("t", request(count=2)), pod("patient", template="t"))
    run(simulation)
    delete(simulation, "Pod", "patient")
    assert simulation.cluster.in_flight == {}
    assert simulation.cluster.store.list("ResourceClaim") == []
    create(simulation, pod("p", template="t"))
    assert run(simulation) == {"p": "n0"}


def test_a_binding_that_fails_gives_the_reservation_back() -> None:
    simulation = start(claim("x"), pod("p", "x"))
    apply(simulation, {"kind": "fail_binding"})
    apply(simulation, {"kind": "schedule_one"})
    assert (stored(simulation, "x").reserved_for, simulation.cluster.in_flight) == ((), {})
    apply(simulation, {"kind": "advance_clock", "seconds": 20})
    assert run(simulation) == {"p": "n0"}
    assert devices(simulation) == {"x": ["a"]}


# v1.36: resources that devices stand behind

EXTENDED = device_class("gpu", extendedResourceName="example.com/gpu")


def newer(*objects: Manifest) -> Simulation:
    simulation = Simulation.create(seed=1, emulation=EMULATIONS["v1.36.3"])
    create(simulation, make_node("n0").cpu("8").manifest(), make_node("n1").cpu("8").manifest(), *objects)
    return simulation


def test_an_extended_resource_becomes_a_claim_that_goes_with_the_pod() -> None:
    pods = [make_pod(name).cpu("1").extended("example.com/gpu", 2).manifest() for name in ("p", "q")]
    simulation = newer(EXTENDED, resource_slice("n1", ["a", "b"]), *pods)
    assert run(simulation) == {"p": "n1", "q": None}
    (made,) = simulation.cluster.store.list("ResourceClaim")
    assert made.name.startswith("p-extended-resources-")
    pod = simulation.cluster.find_pod("default/p")
    assert pod is not None and manifest_of(pod)["status"]["extendedResourceClaimStatus"] == {
        "requestMappings": [
            {
                "containerName": pod.containers[0].name,
                "resourceName": "example.com/gpu",
                "requestName": made.requests[0].name,
            }
        ],
        "resourceClaimName": made.name,
    }
    delete(simulation, "Pod", "p")
    assert simulation.cluster.store.list("ResourceClaim") == []
    apply(simulation, {"kind": "advance_clock", "seconds": 20})
    assert run(simulation) == {"q": "n1"}


def test_what_was_kept_about_nodes_is_stale_when_a_class_changes() -> None:
    """Before there is a class no node has the resource; then DynamicResources looks after it."""
    pods = [make_pod(f"p{i}").extended("example.com/gpu", 1).manifest() for i in range(3)]
    simulation = newer(resource_slice("n1", ["a", "b", "c"]), *pods)
    assert set(run(simulation).values()) == {None}
    create(simulation, EXTENDED)
    apply(simulation, {"kind": "advance_clock", "seconds": 400})
    assert set(run(simulation).values()) == {"n1"}
