"""What one types for a pod that an owner made: the owner's template is patched."""

from typing import Any

import pytest

from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit
from simulator.repair.finder import Repair
from simulator.simulation.simulation import Simulation
from tests.core.repair.found_repairs import found, node, pod
from tests.core.repair.test_evictions import only

LOWERING = only("lower_request")
META = {"name": "web", "namespace": "default"}
REQUESTS = "/spec/template/spec/containers/0/resources/requests"


def deployment(container: Any) -> dict[str, Any]:
    labels = {"app": "p"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": META, "spec": spec}


def edit_of(repairs: list[Repair]) -> Edit:
    ((edit,),) = (repair.edits for repair in repairs[:1])
    return edit


@pytest.mark.parametrize(
    ("container", "operation"),
    [
        ({"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}, f'"replace","path":"{REQUESTS}/cpu"'),
        # Requests that a LimitRange gave stand in no template, and one that nobody could parse makes no pods.
        ({"name": "c", "image": "i"}, f'"add","path":"{REQUESTS.removesuffix("/requests")}"'),
        ({"name": "c", "resources": {"requests": {"cpu": "3x"}}}, f'"replace","path":"{REQUESTS}/cpu"'),
    ],
    ids=["its own", "another's", "broken"],
)
def test_a_request_is_lowered_in_the_template(container: Any, operation: str) -> None:
    big = pod().cpu("3").owner("ReplicaSet", "web-5d4f").label("pod-template-hash", "5d4f")
    _, repairs = found([node().manifest(), big.manifest(), deployment(container)], LOWERING)
    line, value = edit_of(repairs).command_line, '"2"' if operation.endswith('/cpu"') else '{"requests":{"cpu":"2"}}'
    assert line == (
        f'kubectl -n default patch deployment web --type json -p \'[{{"op":{operation},"value":{value}}}]\''
    )


def stored(simulation: Simulation, kind: str, key: str) -> Any:
    found = simulation.cluster.store.get(kind, key)
    assert found is not None
    return manifest_of(found)


def test_what_is_carried_out_is_what_is_typed() -> None:
    """The template is changed with its pod, and both are as they were when it is undone."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}
    big = pod().cpu("3").owner("ReplicaSet", "web-5d4f").label("pod-template-hash", "5d4f")
    simulation, repairs = found([node().manifest(), big.manifest(), deployment(container)], LOWERING)
    before = stored(simulation, "Deployment", "default/web")
    for command in repairs[0].commands:
        list(simulation.apply(command))
    template = stored(simulation, "Deployment", "default/web")["spec"]["template"]
    specs = [template["spec"], stored(simulation, "Pod", "default/p")["spec"]]
    assert [spec["containers"][0]["resources"]["requests"] for spec in specs] == [{"cpu": "2"}, {"cpu": "2"}]
    assert "name" not in template["metadata"]
    for command in repairs[0].inverse:
        list(simulation.apply(command))
    assert stored(simulation, "Deployment", "default/web") == before
