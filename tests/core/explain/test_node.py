"""What is told about one node, plugin by plugin, as people read it."""

from typing import Any

import pytest

from scheduler_core.facts.attempt_context import UnknownNodeError
from scheduler_core.framework.interface import FilterPlugin
from scheduler_core.plugins.table import FACTS, IN_TREE
from simulator.explain.arithmetic import ledger
from simulator.explain.node import explain_node
from simulator.explain.rerun import rerun
from simulator.simulation import Simulation
from tests.conformance.testing import make_pod
from tests.core.explain.small_cluster import attempt, new_pod, node
from tests.core.preemption.preemption_cluster import ScriptedExtender

ZONE = "topology.kubernetes.io/zone"


def running(name: str = "busy") -> Any:
    return make_pod(name).label("app", "web").node("a")


def claim(name: str, volume: str = "", storage_class: str = "fast") -> dict[str, Any]:
    bound = {"volumeName": volume, "accessModes": ["ReadWriteOnce"]}
    annotations = {"pv.kubernetes.io/bind-completed": "yes"} if volume else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations},
        "spec": (bound if volume else {"accessModes": ["ReadWriteOnce"]})
        | {"storageClassName": storage_class, "resources": {"requests": {"storage": "5Gi"}}},
    }


def volume(name: str, zone: str) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": {ZONE: zone}},
        "spec": {
            "capacity": {"storage": "5Gi"},
            "accessModes": ["ReadWriteOnce"],
            "csi": {"driver": "csi.example.com", "volumeHandle": name},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        },
    }


def csi_node(count: int) -> dict[str, Any]:
    driver = {"name": "csi.example.com", "nodeID": "a", "allocatable": {"count": count}}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": "a"},
        "spec": {"drivers": [driver]},
    }


def storage_class(provisioner: str) -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
    }


# plugin, objects, the facts that fail as `subject: text`
CASES: list[tuple[str, list[Any], list[str]]] = [
    (
        "NodeResourcesFit",
        [node("a"), running().cpu("2").memory("1Gi"), new_pod().cpu("3").memory("1Gi")],
        ["cpu: requests 3, but only 2 of 4 free"],
    ),
    (
        "NodeResourcesFit",
        [node("a").pods(1), running(), new_pod().cpu("500m").memory("9Gi")],
        [
            "pods: pods on the node: 1 of 1; no more may run",
            "memory: requests 9Gi, but the node has only 8Gi in all: evicting pods cannot help",
        ],
    ),
    (
        "TaintToleration",
        [node("a").taint("gpu", "", "NoSchedule"), new_pod()],
        ["gpu:NoSchedule: the pod does not tolerate this taint"],
    ),
    (
        "NodeUnschedulable",
        [node("a").cordoned(), new_pod()],
        [
            "node.kubernetes.io/unschedulable:NoSchedule: the node is cordoned (spec.unschedulable), and the pod does "
            "not tolerate that"
        ],
    ),
    (
        "NodeAffinity",
        [node("a").label("disk", "hdd"), new_pod().node_selector("disk", "ssd").node_selector("gpu", "yes")],
        [
            "disk: nodeSelector wants disk=ssd, but the node has disk=hdd",
            "gpu: nodeSelector wants gpu=yes, but the node has no such label",
        ],
    ),
    (
        "NodeAffinity",
        [node("a").label("disk", "hdd"), new_pod().node_affinity("disk", "In", "ssd", "nvme")],
        ["disk in (ssd,nvme): the node does not match this term of the required node affinity: it has disk=hdd"],
    ),
    (
        "NodePorts",
        [node("a"), running().host_port(80), new_pod().host_port(80)],
        ["0.0.0.0:80/TCP: this host port is taken by default/busy"],
    ),
    (
        "PodTopologySpread",
        [node("a").zone("z1"), node("b").zone("z2"), running(), new_pod().spread(ZONE, {"app": "web"})],
        [f"{ZONE}=z1: 1 + 1 − 0 = 2 pods ahead of the emptiest domain: more than maxSkew 1"],
    ),
    (
        "PodTopologySpread",
        [node("a"), new_pod().spread(ZONE, {"app": "web"})],
        [f"{ZONE}: the node has no label {ZONE}, so it is in no domain"],
    ),
    (
        "PodTopologySpread",
        [node("a").zone("z1"), running(), new_pod().spread(ZONE, {"app": "web"}, minDomains=3)],
        [f"{ZONE}=z1: 1 + 1 − 0 = 2 against maxSkew 1: with 1 domains of minDomains 3 the emptiest counts as 0"],
    ),
    (
        "InterPodAffinity",
        [node("a").zone("z1"), running(), new_pod().anti_affinity(ZONE, {"app": "web"})],
        [f"app=web: pods that the pod must keep away from: 1 in {ZONE}=z1, such as default/busy"],
    ),
    (
        "InterPodAffinity",
        [node("a").zone("z1"), running().anti_affinity(ZONE, {"app": "web"}), new_pod()],
        [f"{ZONE}: pods that keep pods like this one away: 1 in {ZONE}=z1, such as default/busy"],
    ),
    (
        "InterPodAffinity",
        [node("a").zone("z1"), new_pod().affinity(ZONE, {"app": "db"})],
        [f"app=db: no pod that the pod must be near is in {ZONE}=z1"],
    ),
    (
        "VolumeBinding",
        [node("a").zone("z1"), claim("data", "disk-1"), volume("disk-1", "z2"), new_pod().claim("data")],
        [f"default/data: bound to the volume disk-1, which can only be used where {ZONE}=z2"],
    ),
    (
        "VolumeBinding",
        [node("a"), claim("data"), storage_class("kubernetes.io/no-provisioner"), new_pod().claim("data")],
        [
            "default/data: waits for its first pod: no free volume suits, class fast makes none for this node",
        ],
    ),
    (
        "VolumeZone",
        [node("a").zone("z1"), claim("data", "disk-1"), volume("disk-1", "z2"), new_pod().claim("data")],
        [f"disk-1: the volume can only be used where {ZONE} in (z2); the node has {ZONE}=z1"],
    ),
    (
        "NodeVolumeLimits",
        [node("a").zone("z2"), csi_node(0), claim("data", "disk-1"), volume("disk-1", "z2"), new_pod().claim("data")],
        ["csi.example.com: 0 attached and 1 more: over the limit of 0"],
    ),
    (
        "VolumeRestrictions",
        [
            node("a"),
            running().spec(volumes=[{"name": "disk", "gcePersistentDisk": {"pdName": "d"}}]),
            new_pod().spec(volumes=[{"name": "disk", "gcePersistentDisk": {"pdName": "d"}}]),
        ],
        ["disk: default/busy on the node use this disk too, and it cannot be shared"],
    ),
]


@pytest.mark.parametrize(("plugin", "objects", "want"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_why_the_node_was_rejected(plugin: str, objects: list[Any], want: list[str]) -> None:
    found = explain_node(attempt(*objects).context, "a")
    (answer,) = [answer for answer in found["plugins"] if answer["plugin"] == plugin]
    assert answer["code"] != "Success"
    failing = [f"{fact['of']}: {fact['what']['text']}" for fact in answer["facts"] if fact["fails"]]
    assert failing == want


def test_numbers_are_there_beside_the_words() -> None:
    found = explain_node(attempt(node("a"), running().cpu("800m"), new_pod().cpu("4").memory("1Gi")).context, "a")
    fit = next(answer for answer in found["plugins"] if answer["plugin"] == "NodeResourcesFit")
    cpu = next(fact for fact in fit["facts"] if fact["of"] == "cpu")
    assert cpu["what"]["text"] == "requests 4, but only 3.2 of 4 free"
    assert cpu["data"] == {"requested": 4000, "used": 800, "allocatable": 4000, "free": 3200}


@pytest.mark.parametrize(
    ("name", "objects", "state", "evicting"),
    [
        ("chosen", [node("a"), new_pod()], "chosen", None),
        ("could have been", [node("a"), node("b"), running().cpu("2"), new_pod()], "feasible", None),
        ("full", [node("a"), running().cpu("4"), new_pod().cpu("1")], "rejected", "evicting pods could help"),
        ("too small", [node("a"), new_pod().cpu("9")], "rejected", "evicting pods cannot help"),
        ("before any node", [node("a"), new_pod().claim("none")], "preFilter", "evicting pods cannot help"),
    ],
)
def test_states(name: str, objects: list[Any], state: str, evicting: str | None) -> None:
    found = explain_node(attempt(*objects).context, "a")
    assert found["state"] == state
    assert (found["evicting"] and found["evicting"]["text"]) == evicting


def test_nodes_that_were_not_looked_at() -> None:
    many = [node(f"n-{i}") for i in range(300)]
    context = attempt(*many, new_pod(), config="percentageOfNodesToScore: 50\n").context
    found = explain_node(context, "n-299")
    assert found["state"] == "notEvaluated"
    assert all(answer["code"] == "Success" and not answer["ran"] for answer in found["plugins"])
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n-1"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    found = explain_node(attempt(*many[:3], new_pod().spec(affinity=affinity)).context, "n-0")
    assert found["state"] == "narrowed"
    assert found["why"]["text"] == "n-0 was not looked at: NodeAffinity left only other nodes"


def test_plugins_after_the_first_that_rejects_are_told_but_did_not_run() -> None:
    found = explain_node(attempt(node("a").cordoned(), new_pod().cpu("9")).context, "a")
    ran = {answer["plugin"]: answer["ran"] for answer in found["plugins"]}
    assert ran["NodeUnschedulable"] and not ran["NodeResourcesFit"]
    assert next(a for a in found["plugins"] if a["plugin"] == "NodeResourcesFit")["code"] != "Success"


def test_nominated_pods_count_as_being_there() -> None:
    vip = make_pod("vip").cpu("3").priority(10).nominated("a")
    found = explain_node(attempt(node("a"), vip, new_pod().cpu("2").memory("1Gi")).context, "a")
    assert found["nominated"] == ["default/vip"]
    fit = next(answer for answer in found["plugins"] if answer["plugin"] == "NodeResourcesFit")
    assert [fact["what"]["text"] for fact in fit["facts"] if fact["fails"]] == ["requests 2, but only 1 of 4 free"]


def test_a_node_that_an_extender_dropped() -> None:
    extender = ScriptedExtender(rejects=["a"], is_filter=True)
    simulation = Simulation.create(make_extenders=lambda config: [extender])
    objects = [dict(given.manifest()) for given in (node("a"), node("b"), node("c"), new_pod())]
    list(simulation.apply({"kind": "create", "objects": objects}))
    context = rerun(simulation, "default/new").context
    found = explain_node(context, "a")
    assert (found["state"], found["why"]["text"]) == ("dropped", "an extender dropped a")
    assert ledger(context, "b")["extenders"] == [{"extender": "http://extender", "value": 0}]


def test_an_unknown_node() -> None:
    with pytest.raises(UnknownNodeError):
        explain_node(attempt(node("a"), new_pod()).context, "b")


def test_every_filter_plugin_has_an_explainer() -> None:
    filtering = {name for name in IN_TREE if issubclass(IN_TREE.get(name) or object, FilterPlugin)}
    assert filtering - set(FACTS) == {"DynamicResources"}
