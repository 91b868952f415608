"""Kinds of clients that have the name of a built-in one: no controller takes them for its own, and owners are found."""

from typing import Any

import pytest

from kube_controllers.names import CONTROLLERS
from kube_objects.parse import parse_object
from kube_objects.parsers.meta import derived_uid
from tests.core.controllers.test_living import run, simulation_of

VOLCANO = "batch.volcano.sh/v1alpha1"


def volcano_job(**metadata: Any) -> dict[str, Any]:
    about = {"name": "train", "namespace": "default", "uid": "of-volcano", **metadata}
    return {"apiVersion": VOLCANO, "kind": "Job", "metadata": about, "spec": {"minAvailable": 1, "tasks": []}}


def definition(group: str = "batch.volcano.sh", kind: str = "Job") -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    names = {"kind": kind, "plural": plural}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": []}
    about = {"name": f"{plural}.{group}", "uid": f"of-{plural}"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": about,
        "spec": spec,
    }


def pod_of_it() -> dict[str, Any]:
    owner = {"apiVersion": VOLCANO, "kind": "Job", "name": "train", "uid": "of-volcano", "controller": True}
    about = {"name": "train-0", "namespace": "default", "ownerReferences": [owner]}
    spec = {"containers": [{"name": "main", "image": "train"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec}


def test_no_controller_takes_it_for_its_own() -> None:
    simulation = simulation_of(volcano_job())
    assert not [record for record in run(simulation, 60) if "actor" in record.data]
    assert simulation.cluster.store.list("Pod") == []
    assert [one.key for one in simulation.cluster.store.list("Job.batch.volcano.sh")] == ["default/train"]


def owned(kind: str, name: str, by: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """In the foreground an owner waits for it."""
    owner = {"apiVersion": by["apiVersion"], "kind": by["kind"], "name": by["metadata"]["name"]}
    owner |= {"uid": by["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}
    about = {"name": name, "namespace": "default", "uid": f"of-{name}", "ownerReferences": [owner], **metadata}
    return {"apiVersion": "serving.knative.dev/v1", "kind": kind, "metadata": about}


@pytest.mark.parametrize("actors", [tuple(CONTROLLERS), ("garbage-collector",)])
def test_clients_kinds_go_with_their_owners(actors: tuple[str, ...]) -> None:
    """Only where who looks at them is at work: in clusters of before it is not."""
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default", "uid": "of-a"}}
    service = owned("Service", "web", owner)
    known = definition("serving.knative.dev", "Service")
    simulation = simulation_of(known, owner, service, owned("Route", "route", service), actors=actors)
    run(simulation, 60)
    list(simulation.apply({"kind": "delete", "objects": [{"kind": "ConfigMap", "namespace": "default", "name": "a"}]}))
    run(simulation, 60)
    store = simulation.cluster.store
    left = [*store.list("Service.serving.knative.dev"), *store.list("Route.serving.knative.dev")]
    assert [one.name for one in left] == ([] if len(actors) > 1 else ["web", "route"])


@pytest.mark.parametrize("policy", ["foregroundDeletion", "orphan"])
def test_an_owner_of_a_clients_kind_waits_for_what_it_owns(policy: str) -> None:
    gone = {"deletionTimestamp": "2025-06-01T00:00:00Z", "finalizers": [policy]}
    service = owned("Service", "web", definition(), ownerReferences=None)
    going = {**service, "metadata": {**service["metadata"], **gone}}
    simulation = simulation_of(service, owned("Route", "route", service))
    run(simulation, 60)
    list(simulation.apply({"kind": "update", "objects": [going]}))
    run(simulation, 60)
    assert simulation.cluster.store.list("Service.serving.knative.dev") == []
    routes = simulation.cluster.store.list("Route.serving.knative.dev")
    assert [one.manifest["metadata"].get("ownerReferences") for one in routes] == ([] if "fore" in policy else [None])


def test_who_brings_no_uid_has_the_one_of_before() -> None:
    about = {"name": "web", "namespace": "default"}
    gateway = parse_object({"apiVersion": "networking.istio.io/v1", "kind": "Gateway", "metadata": about})
    assert gateway.uid == derived_uid("Gateway", "default", "web")
    job = parse_object({"apiVersion": VOLCANO, "kind": "Job", "metadata": about})
    assert job.uid == derived_uid("Job.batch.volcano.sh", "default", "web")


@pytest.mark.parametrize("kind", ["Job.batch.volcano.sh", "Job"])
def test_its_pods_stay_with_it_and_go_with_it(kind: str) -> None:
    simulation = simulation_of(definition(), volcano_job(), pod_of_it())
    run(simulation, 60)
    assert [pod.phase for pod in simulation.cluster.store.list("Pod")] == ["Running"]
    gone = {"kind": kind, "namespace": "default", "name": "train"}
    list(simulation.apply({"kind": "delete", "objects": [gone]}))
    run(simulation, 60)
    assert simulation.cluster.store.list("Pod") == []
