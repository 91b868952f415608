"""What v1.36.3 changed and its vectors do not show: hints, and what a change of a node's declared features wakes."""

from typing import Any

import pytest

from kube_objects.parse import parse_pod
from kube_objects.pod import Pod
from scheduler_core.emulations import EMULATIONS, V1_34_1, V1_36_3
from scheduler_core.framework.events import ActionType, QueueingHint
from scheduler_core.plugins.inter_pod_affinity import plugin as inter_pod_affinity
from scheduler_core.plugins.node_declared_features import plugin as node_declared_features
from scheduler_core.queue.cluster_events import node_update_events
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod

ANTI = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}
        ]
    }
}


def pod(name: str, node: str = "", nominated: str = "", affinity: bool = False, app: str = "") -> Pod:
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "uid": name, "labels": {"app": app} if app else {}},
        "spec": {"containers": [{"name": "c", "image": "i"}]} | ({"affinity": ANTI} if affinity else {}),
        "status": {"nominatedNodeName": nominated},
    }
    return parse_pod(manifest).with_node(node)


WEB = pod("web", app="web")
REPELS = pod("repels", affinity=True)
HINTS = [
    # rejected pod, old, new, what v1.34.1 says, what v1.36.3 says
    (WEB, pod("web"), pod("web", app="web"), QueueingHint.SKIP, QueueingHint.QUEUE),  # its own labels
    (
        WEB,
        pod("repels", "n", affinity=True),
        None,
        QueueingHint.SKIP,
        QueueingHint.QUEUE,
    ),  # it was repelled by the pod that is gone
    (WEB, pod("other", "n"), None, QueueingHint.SKIP, QueueingHint.SKIP),
    (
        REPELS,
        pod("web", nominated="n", app="web"),
        None,
        QueueingHint.SKIP,
        QueueingHint.QUEUE,
    ),  # nominated counts as placed
    (REPELS, pod("web", app="web"), None, QueueingHint.SKIP, QueueingHint.SKIP),
    (REPELS, pod("web", "n", app="web"), None, QueueingHint.QUEUE, QueueingHint.QUEUE),
]


@pytest.mark.parametrize(("rejected", "old", "new", "then", "now"), HINTS)
def test_what_may_help_a_pod_that_affinity_kept_out(
    rejected: Pod, old: Pod | None, new: Pod | None, then: QueueingHint, now: QueueingHint
) -> None:
    said = []
    for emulation in (V1_34_1, V1_36_3):
        plugin_class = emulation.registry.get("InterPodAffinity")
        assert plugin_class is not None and issubclass(plugin_class, inter_pod_affinity.InterPodAffinity)
        plugin = object.__new__(plugin_class)  # hints need neither args nor cluster
        said.append(plugin.after_pod_change(rejected, old, new))
    assert said == [then, now]


def test_a_change_of_what_a_node_declares_is_an_event_of_1_36() -> None:
    before, after = make_node("n").build(), make_node("n").build()
    after.declared_features = ("A",)
    assert node_update_events(before, after) == []
    (event,) = node_update_events(before, after, declared_features=True)
    assert event.action is ActionType.UPDATE_NODE_DECLARED_FEATURE
    assert event.label == "NodeUpdateNodeDeclaredFeature"
    asks = make_pod("p").build()
    assert node_declared_features.after_node_change(asks, before, after) is QueueingHint.QUEUE
    assert node_declared_features.after_node_change(asks, before, before) is QueueingHint.SKIP


NEEDS = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"hostNetwork": True, "hostUsers": False, "containers": [{"name": "c", "image": "i"}]},
}


def node(*declared: str) -> dict[str, object]:
    status = {"allocatable": {"pods": "9"}, "declaredFeatures": list(declared)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status}


@pytest.mark.parametrize(("version", "wants"), [("v1.34.1", "scheduled"), ("v1.36.3", "unschedulable")])
def test_a_pod_waits_for_a_node_that_declares_what_it_needs(version: str, wants: str) -> None:
    simulation = Simulation.create(emulation=EMULATIONS[version])
    commands: list[dict[str, Any]] = [{"kind": "create", "objects": [node(), NEEDS]}, {"kind": "run", "until": "idle"}]
    records = [record for command in commands for record in simulation.apply(command)]
    assert [record.data["cycle"]["outcome"] for record in records if "cycle" in record.data] == [wants]
    update = {"kind": "update", "objects": [node("UserNamespacesHostNetworkSupport")]}
    after: list[dict[str, Any]] = [update, {"kind": "advance_clock", "seconds": 60}, {"kind": "run", "until": "idle"}]
    for command in after:
        list(simulation.apply(command))
    bound = simulation.cluster.find_pod("default/p")
    assert bound is not None and bound.node_name == "n"
