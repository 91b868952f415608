"""The builders: every method says in the object what its name promises."""

from typing import Any

import pytest

from kube_objects.meta import OwnerReference
from kube_objects.pod import Container, HostPort
from kube_objects.selectors import LabelSelector, Requirement
from kube_objects.taints import Taint, Toleration
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod

GI = 2**30
WEB = LabelSelector((Requirement("app", "In", ("web",)),))

PODS: list[tuple[PodBuilder, str, Any]] = [
    (make_pod("p"), "key", "default/p"),
    (make_pod("p", "shop"), "key", "shop/p"),
    (make_pod("p").uid("u"), "uid", "u"),
    (make_pod("p").label("a.io/b", "c").labels(app="web"), "labels", {"a.io/b": "c", "app": "web"}),
    (make_pod("p").annotation("a", "b"), "annotations", {"a": "b"}),
    (
        make_pod("p").owner("ReplicaSet", "rs", "u"),
        "controller",
        OwnerReference("ReplicaSet", "rs", "u", "apps/v1", True),
    ),
    (make_pod("p").created("1970-01-01T00:00:09Z"), "creation_timestamp", 9.0),
    (make_pod("p").terminating(), "terminating", True),
    (make_pod("p").cpu("500m").memory("1Gi"), "requests", {"cpu": 500, "memory": GI}),
    (make_pod("p").limit("cpu", "2"), "requests", {"cpu": 2000}),
    (make_pod("p").extended("nvidia.com/gpu", 2), "requests", {"nvidia.com/gpu": 2}),
    (make_pod("p").cpu("1").container("b", cpu="1"), "requests", {"cpu": 2000}),
    (make_pod("p").cpu("1").init_container("i", cpu="3"), "requests", {"cpu": 3000}),
    (make_pod("p").cpu("1").sidecar("s", cpu="1"), "requests", {"cpu": 2000}),
    (make_pod("p").cpu("1").overhead(cpu="250m"), "requests", {"cpu": 1250}),
    (make_pod("p").cpu("1").pod_level(cpu="4"), "requests", {"cpu": 4000}),
    (make_pod("p").image("web:v2"), "containers", (Container("main", "web:v2"),)),
    (make_pod("p").host_port(80), "host_ports", (HostPort("0.0.0.0", "TCP", 80),)),
    (make_pod("p").node("n"), "node_name", "n"),
    (make_pod("p").node("n"), "phase", "Running"),
    (make_pod("p").node_selector("disk", "ssd"), "node_selector", {"disk": "ssd"}),
    (make_pod("p").toleration("gpu", "a100"), "tolerations", (Toleration("gpu", "Equal", "a100"),)),
    (make_pod("p").scheduler("mine"), "scheduler_name", "mine"),
    (make_pod("p").priority(7), "priority", 7),
    (make_pod("p").never_preempts(), "preemption_policy", "Never"),
    (make_pod("p").gate("a").gate("b"), "scheduling_gates", ("a", "b")),
    (make_pod("p").nominated("n"), "nominated_node_name", "n"),
    (make_pod("p").phase("Failed"), "finished", True),
    (make_pod("p").started("1970-01-01T00:00:09Z"), "start_time", 9.0),
    (make_pod("p").spec(priorityClassName="high"), "priority_class_name", "high"),
]


@pytest.mark.parametrize(("builder", "attribute", "want"), PODS)
def test_pods(builder: PodBuilder, attribute: str, want: Any) -> None:
    assert getattr(builder.build(), attribute) == want


def test_terms_of_pods() -> None:
    pod = (
        make_pod("p")
        .node_affinity("zone", "In", "a", "b")
        .preferred_node(5, "disk", "Exists")
        .affinity("zone", {"app": "web"})
        .preferred_affinity(3, "zone", {})
        .anti_affinity("host", None, namespaces=["shop"])
        .preferred_anti_affinity(4, "host", {"app": "web"})
        .spread("zone", {"app": "web"}, max_skew=2, when_unsatisfiable="ScheduleAnyway")
        .claim("data")
        .build()
    )
    assert pod.node_affinity is not None and pod.node_affinity.required is not None
    assert pod.node_affinity.required.terms[0].expressions == (Requirement("zone", "In", ("a", "b")),)
    assert [(term.weight, term.term.expressions[0].key) for term in pod.node_affinity.preferred] == [(5, "disk")]
    assert pod.pod_affinity is not None and pod.pod_anti_affinity is not None
    assert [term.selector for term in pod.pod_affinity.required] == [WEB]
    assert [(term.weight, term.term.selector) for term in pod.pod_affinity.preferred] == [(3, LabelSelector())]
    assert [(term.selector, term.namespaces) for term in pod.pod_anti_affinity.required] == [
        (None, frozenset({"shop"}))
    ]
    assert [(term.weight, term.term.selector) for term in pod.pod_anti_affinity.preferred] == [(4, WEB)]
    assert [(c.max_skew, c.when_unsatisfiable, c.label_selector) for c in pod.spread_constraints] == [
        (2, "ScheduleAnyway", WEB)
    ]
    assert [volume.claim_name for volume in pod.volumes] == ["data"]


NODES: list[tuple[NodeBuilder, str, Any]] = [
    (make_node("n"), "allocatable", {"cpu": 4000, "memory": 16 * GI, "pods": 110}),
    (make_node("n"), "labels", {"kubernetes.io/hostname": "n"}),
    (
        make_node("n").cpu("8").memory("1Gi").pods(2).resource("nvidia.com/gpu", "1"),
        "allocatable",
        {"cpu": 8000, "memory": GI, "pods": 2, "nvidia.com/gpu": 1},
    ),
    (make_node("n").allocatable({"cpu": "1"}), "allocatable", {"cpu": 1000}),
    (
        make_node("n").zone("a", "eu"),
        "labels",
        {"kubernetes.io/hostname": "n", "topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "eu"},
    ),
    (make_node("n").taint("gpu", "a100", "NoExecute"), "taints", (Taint("gpu", "a100", "NoExecute"),)),
    (make_node("n").cordoned(), "unschedulable", True),
]


@pytest.mark.parametrize(("builder", "attribute", "want"), NODES)
def test_nodes(builder: NodeBuilder, attribute: str, want: Any) -> None:
    assert getattr(builder.build(), attribute) == want


def test_images_of_nodes() -> None:
    (image,) = make_node("n").image(5, "app:v1", "app@sha256:0").build().images
    assert (image.size_bytes, image.names) == (5, ("app:v1", "app@sha256:0"))


def test_a_builder_can_be_used_again() -> None:
    builder = make_pod("p").cpu("1")
    first = builder.build()
    assert builder.cpu("2").build().requests == {"cpu": 2000}
    assert first.requests == {"cpu": 1000}
