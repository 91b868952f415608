"""Kinds of clients that have the name of a built-in one: no controller takes them for its own, and owners are found."""

from typing import Any

import pytest

from tests.core.actors.test_living import run, simulation_of

VOLCANO = "batch.volcano.sh/v1alpha1"


def volcano_job(**metadata: Any) -> dict[str, Any]:
    about = {"name": "train", "namespace": "default", "uid": "of-volcano", **metadata}
    return {"apiVersion": VOLCANO, "kind": "Job", "metadata": about, "spec": {"minAvailable": 1, "tasks": []}}


def definition() -> dict[str, Any]:
    names = {"kind": "Job", "plural": "jobs"}
    spec = {"group": VOLCANO.partition("/")[0], "scope": "Namespaced", "names": names, "versions": []}
    about = {"name": "jobs.batch.volcano.sh"}
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


@pytest.mark.parametrize("kind", ["Job.batch.volcano.sh", "Job"])
def test_its_pods_stay_with_it_and_go_with_it(kind: str) -> None:
    simulation = simulation_of(definition(), volcano_job(), pod_of_it())
    run(simulation, 60)
    assert [pod.phase for pod in simulation.cluster.store.list("Pod")] == ["Running"]
    gone = {"kind": kind, "namespace": "default", "name": "train"}
    list(simulation.apply({"kind": "delete", "objects": [gone]}))
    run(simulation, 60)
    assert simulation.cluster.store.list("Pod") == []
