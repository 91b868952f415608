"""Kubelets: containers that start again, times that are drawn, addresses."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from kube_controllers import kubelet
from kube_controllers.node_lifecycle import pod_addresses
from kube_controllers.objects import Objects, View
from simulator.simulation import Simulation
from tests.core.controllers.chaos import node, template
from tests.core.controllers.test_living import run, simulation_of


@pytest.mark.parametrize(("restarts", "seconds"), [(1, 0), (2, 10), (3, 20), (6, 160), (7, 300), (40, 300)])
def test_the_backoff_of_containers(restarts: int, seconds: float) -> None:
    assert kubelet.backoff_after(restarts) == seconds


def job(policy: str, **annotations: str) -> dict[str, Any]:
    pod = template("work", "work:1")
    pod["metadata"]["annotations"] = {
        kubelet.PREFIX + name.replace("_", "-"): text for name, text in annotations.items()
    }
    pod["spec"]["restartPolicy"] = policy
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work", "namespace": "default"},
        "spec": {"template": pod, "backoffLimit": 6},
    }


def pod_of(simulation: Simulation) -> dict[str, Any]:
    (pod,) = simulation.cluster.store.list("Pod")
    return dict(pod.manifest["status"])


def test_a_container_that_fails_starts_again_in_its_pod() -> None:
    simulation = simulation_of(job("OnFailure", run_seconds="5", exit_code="1,1,0"))
    run(simulation, 14)
    assert pod_of(simulation)["containerStatuses"][0]["state"] == {"waiting": {"reason": "CrashLoopBackOff"}}
    assert pod_of(simulation)["containerStatuses"][0]["restartCount"] == 2
    run(simulation, 60)
    assert pod_of(simulation)["phase"] == "Succeeded"
    (found,) = simulation.cluster.store.list("Job")
    assert found.manifest["status"]["succeeded"] == 1


def test_a_pod_that_never_starts_again_fails() -> None:
    simulation = simulation_of(job("Never", run_seconds="5", exit_code="3"))
    run(simulation, 9)
    assert pod_of(simulation)["phase"] == "Failed"
    assert pod_of(simulation)["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 3


def test_a_pod_that_is_made_with_a_node_starts() -> None:
    spec = {"nodeName": node(0)["metadata"]["name"], "containers": [{"name": "c", "image": "x"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default"}}
    simulation = simulation_of({**pod, "spec": spec})
    run(simulation, 3)
    assert pod_of(simulation)["phase"] == "Running"


def bare(name: str = "a", **spec: Any) -> dict[str, Any]:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}}
    return {**pod, "spec": {"containers": [{"name": "c", "image": "x"}], **spec}}


def conditions_of(pod: Any) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one.get("reason", "")) for one in pod["status"]["conditions"]}


OWNED = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]


@pytest.mark.parametrize("spec", [{}, {"nodeName": "n-0"}], ids=["scheduled", "made with a node"])
def test_a_running_pod_has_the_five_conditions_of_its_kubelet(spec: dict[str, Any]) -> None:
    if spec:
        spec = {"nodeName": node(0)["metadata"]["name"]}
    simulation = simulation_of(bare(**spec))
    run(simulation, 10)
    (pod,) = simulation.cluster.store.list("Pod")
    assert conditions_of(pod.manifest) == dict.fromkeys(OWNED, ("True", ""))
    assert list(conditions_of(pod.manifest)) == OWNED


def test_a_pod_that_has_done_its_work_says_so_in_its_conditions() -> None:
    simulation = simulation_of(job("Never", run_seconds="5"))
    run(simulation, 20)
    (pod,) = simulation.cluster.store.list("Pod")
    found = conditions_of(pod.manifest)
    assert found["PodReadyToStartContainers"] == ("False", "")
    assert found["Initialized"] == ("True", "PodCompleted")
    assert found["Ready"] == found["ContainersReady"] == ("False", "PodCompleted")


SERVER: dict[str, str] = {}
WORK = {"playground.kube-scheduler/run-seconds": "600"}
SLOW = {"playground.kube-scheduler/stop-seconds": "60"}


@pytest.mark.parametrize(
    ("notes", "phase", "code"),
    [(SERVER, "Succeeded", 0), (WORK, "Failed", 143), (SLOW, "Failed", 137)],
    ids=["a server", "unfinished work", "longer than its grace"],
)
def test_a_deleted_pod_reports_its_end_before_it_goes(notes: dict[str, str], phase: str, code: int) -> None:
    pod = bare(terminationGracePeriodSeconds=10)
    pod["metadata"]["annotations"] = notes
    simulation = simulation_of(pod)
    run(simulation, 10)
    gone = {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "a"}]}
    for _ in simulation.apply(gone):
        pass
    stop = {"kind": "run", "until": {"breakpoint": True}, "breakpoints": [{"kind": "reconcile", "actor": "kubelet"}]}
    list(simulation.apply(stop))
    (ended,) = simulation.cluster.store.list("Pod")
    state = ended.manifest["status"]["containerStatuses"][0]
    assert ended.manifest["metadata"]["deletionTimestamp"]
    assert (ended.manifest["status"]["phase"], state["ready"]) == (phase, False)
    assert state["state"]["terminated"]["exitCode"] == code
    assert conditions_of(ended.manifest)["Ready"] == ("False", "PodCompleted" if code == 0 else "PodFailed")
    run(simulation, 1)
    assert simulation.cluster.store.list("Pod") == []


def test_times_are_drawn_for_each_pod_and_stay() -> None:
    def seconds(named: str, text: str) -> float:
        pod = {"metadata": {"uid": named, "annotations": {kubelet.RUN: text}}}
        return kubelet.seconds_of(pod, kubelet.RUN, 30.0)

    names = [f"pod-{at}" for at in range(400)]
    even = [seconds(named, "10..20") for named in names]
    assert min(even) >= 10
    assert max(even) < 20
    assert 14.5 < sum(even) / len(even) < 15.5
    exponential = [seconds(named, "~30") for named in names]
    assert 25 < sum(exponential) / len(exponential) < 35
    assert even == [seconds(named, "10..20") for named in names]
    assert seconds("any", "soon") == 30.0


def addressed(
    node: dict[str, Any], *others: dict[str, Any], elsewhere: Sequence[dict[str, Any]] = (), **spec: Any
) -> dict[str, Any]:
    """What a pod on the second of two nodes is told, beside others there and elsewhere."""
    objects = Objects()
    for name in ("other", "here"):
        objects.put({"kind": "Node", "metadata": {"name": name}, **(node if name == "here" else {})})
    placed = [*(("here", status) for status in others), *(("gone", status) for status in elsewhere)]
    for number, (place, status) in enumerate(placed):
        metadata = {"name": f"p-{number}", "namespace": "default"}
        objects.put({"kind": "Pod", "metadata": metadata, "spec": {"nodeName": place}, "status": status})
    here = objects.get("Node", "here")
    assert here is not None
    return pod_addresses.pod_addresses({"spec": spec}, here, View(objects, 0.0, Random(1)))


HOST = {"status": {"addresses": [{"type": "Hostname", "address": "a"}, {"type": "InternalIP", "address": "192.0.2.7"}]}}
ADDRESSED: list[tuple[str, dict[str, Any], list[dict[str, Any]], str]] = [
    # name                       the node                                its other pods                  wanted
    ("by the order of nodes", {}, [], "10.2.1.9"),
    ("a range of its own", {"spec": {"podCIDR": "10.244.3.0/24"}}, [], "10.244.3.9"),
    ("of the newer family", {"spec": {"podCIDR": "fd00::/64"}}, [], "fd00::9"),
    ("a range that is none", {"spec": {"podCIDR": "10.244"}}, [], "10.2.1.9"),
    ("beside one", {}, [{"podIP": "10.2.1.9"}], "10.2.1.10"),
    ("beside one that came later", {}, [{"podIP": "10.2.1.10"}], "10.2.1.11"),
    ("beside one that has not started", {}, [{}], "10.2.1.9"),
    ("beside one whose address is none", {}, [{"podIP": {"a": 1}}], "10.2.1.9"),
    ("a node whose addresses are no list", {"status": {"addresses": 5}}, [], "10.2.1.9"),
    ("a node whose addresses are no mappings", {"status": {"addresses": ["x"]}}, [], "10.2.1.9"),
    ("beside one that has ended", {}, [{"podIP": "10.2.1.9", "phase": "Succeeded"}], "10.2.1.9"),
]


@pytest.mark.parametrize(("node", "others", "wanted"), [case[1:] for case in ADDRESSED], ids=[c[0] for c in ADDRESSED])
def test_a_pod_has_an_address_of_its_node(node: dict[str, Any], others: list[dict[str, Any]], wanted: str) -> None:
    assert addressed(node, *others) == {"podIP": wanted, "podIPs": [{"ip": wanted}]}


def test_behind_the_last_address_there_is_none() -> None:
    node = {"spec": {"podCIDR": "10.244.3.16/28"}}
    others = [{"podIP": f"10.244.3.{25 + number}"} for number in range(7)]
    assert addressed(node, *others[:6])["podIP"] == "10.244.3.31"
    assert addressed(node, *others) == {}
    assert addressed({"spec": {"podCIDR": "255.255.255.252/30"}}) == {}


def test_no_two_pods_have_one_address() -> None:
    elsewhere = [{"podIP": f"10.2.1.{number}"} for number in range(9, 12)]
    assert addressed({}, elsewhere=elsewhere)["podIP"] == "10.2.1.12"
    assert addressed({}, *({"podIP": f"10.2.1.{number}"} for number in range(9, 256)))["podIP"] == "10.2.2.0"


def test_a_pod_is_told_where_its_node_is_and_may_share_that_address() -> None:
    host = {"hostIP": "192.0.2.7", "hostIPs": [{"ip": "192.0.2.7"}]}
    assert addressed(HOST) == {**host, "podIP": "10.2.1.9", "podIPs": [{"ip": "10.2.1.9"}]}
    assert addressed(HOST, hostNetwork=True) == {**host, "podIP": "192.0.2.7", "podIPs": [{"ip": "192.0.2.7"}]}
    assert addressed({}, hostNetwork=True) == {}
