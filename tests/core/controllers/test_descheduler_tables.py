"""The descheduler's strategies, held against upstream's own tables: `tables/descheduler.json` names their files."""

from typing import Any

import pytest

from kube_controllers.api import Api
from kube_controllers.descheduler.descheduler_controller import STRATEGIES
from kube_controllers.descheduler.evictor import Evictor
from kube_controllers.descheduler.policy import DeschedulerPolicy
from simulator.simulation import Simulation
from simulator.simulation.trial import Trial
from tests.core.controllers.upstream_cases import cases_of, view_of


def node_of(given: Any) -> dict[str, Any]:
    has = {"cpu": f"{given['cpu']}m", "memory": str(given["memory"]), "pods": str(given["pods"])}
    spec = {field: given[field] for field in ("taints", "unschedulable") if field in given}
    about = {"name": given["name"], "labels": given.get("labels", {})}
    return {"apiVersion": "v1", "kind": "Node", "metadata": about, "spec": spec, "status": {"allocatable": has}}


def pod_of(given: Any) -> dict[str, Any]:
    about: dict[str, Any] = {"name": given["name"], "namespace": given["namespace"], "uid": given["name"]}
    if given["owner"] is not None:
        about["ownerReferences"] = [{"apiVersion": "v1", "kind": given["owner"], "name": "owner-1", "uid": "owner-1"}]
    about |= {field: given[field] for field in ("labels", "annotations") if field in given}
    requests = {"cpu": f"{given['cpu']}m"}
    containers = [
        {"name": f"c{at}", "image": image, "resources": {"requests": requests if not at else {}}}
        for at, image in enumerate(given["images"])
    ]
    spec: dict[str, Any] = {"nodeName": given["node"], "containers": containers}
    fields = ("volumes", "priority", "nodeSelector", "affinity", "tolerations")
    spec |= {field: given[field] for field in fields if field in given}
    if "spread" in given:
        spec["topologySpreadConstraints"] = given["spread"]
    status = {"phase": given.get("phase", "Running")}
    status |= {"containerStatuses": given["containers"]} if "containers" in given else {}
    status |= {"initContainerStatuses": given["init"]} if "init" in given else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec, "status": status}


def evicted(given: Any) -> int:
    nodes, pods = [node_of(one) for one in given["nodes"]], [pod_of(one) for one in given["pods"]]
    simulation = Simulation.create(seed=0, record_steps=False)
    assert list(simulation.apply({"kind": "create", "objects": [*nodes, *pods]}))
    limits = given["limits"]
    policy = DeschedulerPolicy((), given["evictor"], limits.get("per_node"), limits.get("per_namespace"), None, None)
    evictor = Evictor(policy, Api(view_of(*nodes, *pods)), nodes, Trial(simulation.cluster))
    STRATEGIES[given["strategy"]](evictor, given["args"])
    return len(evictor.evicted)


@pytest.mark.parametrize("strategy", sorted({case["given"]["strategy"] for case in cases_of("descheduler")}))
def test_a_strategy(strategy: str) -> None:
    cases = [case for case in cases_of("descheduler") if case["given"]["strategy"] == strategy]
    wrong = [
        (case["name"], count, case["wanted"]) for case in cases if (count := evicted(case["given"])) != case["wanted"]
    ]
    assert wrong == []
