"""Pods: every field that scheduling reads, and the API server's defaults."""

from typing import Any

import pytest

from kube_objects.affinity import AffinityTerm, NodeAffinity, PodAffinity, WeightedAffinityTerm
from kube_objects.meta import OwnerReference
from kube_objects.parse import parse_pod
from kube_objects.pod import Container, HostPort, PodClaim, PodCondition, TopologySpreadConstraint
from kube_objects.selectors import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    Requirement,
)
from kube_objects.taints import Toleration
from kube_objects.volumes import PodVolume

CONTAINERS = [{"name": "main"}]


def pod(metadata: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any) -> Any:
    return parse_pod(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web", **(metadata or {})},
            "spec": {"containers": CONTAINERS, **spec},
            "status": status,
        }
    )


def test_defaults() -> None:
    parsed = pod()
    assert (parsed.kind, parsed.key, parsed.labels, parsed.annotations) == ("Pod", "default/web", {}, {})
    assert (parsed.scheduler_name, parsed.priority, parsed.preemption_policy) == (
        "default-scheduler",
        0,
        "PreemptLowerPriority",
    )
    assert (parsed.phase, parsed.node_name, parsed.nominated_node_name) == ("Pending", "", "")
    assert (parsed.start_time, parsed.creation_timestamp, parsed.deletion_timestamp) == (None, None, None)


def test_a_missing_uid_depends_on_the_name_alone() -> None:
    assert pod().uid == pod({"labels": {"a": "b"}}).uid
    assert pod().uid != pod({"namespace": "other"}).uid
    assert pod({"uid": "given"}).uid == "given"


def test_metadata() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u", "controller": True}
    parsed = pod(
        {
            "namespace": "shop",
            "labels": {"app": "web"},
            "annotations": {"example.com/Note": "any text: {}"},
            "ownerReferences": [{**owner, "controller": None, "name": "other"}, owner],
            "creationTimestamp": "2025-06-01T00:00:00Z",
            "deletionTimestamp": "2025-06-01T02:00:00.5+02:00",
        }
    )
    assert parsed.key == "shop/web"
    assert parsed.labels == {"app": "web"}
    assert parsed.annotations == {"example.com/Note": "any text: {}"}
    assert parsed.controller == OwnerReference("ReplicaSet", "rs", "u", "apps/v1", controller=True)
    assert parsed.creation_timestamp == 1748736000.0
    assert parsed.deletion_timestamp == 1748736000.5
    assert parsed.terminating


def test_the_manifest_is_kept_as_it_was_given() -> None:
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [{"name": "main", "tty": True}], "unheardOf": {"a": [1]}},
    }
    assert parse_pod(manifest).manifest is manifest


CASES: list[tuple[str, dict[str, Any], str, Any]] = [
    # name, spec, attribute, want
    ("scheduler", {"schedulerName": "mine"}, "scheduler_name", "mine"),
    ("empty scheduler", {"schedulerName": ""}, "scheduler_name", "default-scheduler"),
    ("priority", {"priority": -5}, "priority", -5),
    ("priority class", {"priorityClassName": "high"}, "priority_class_name", "high"),
    ("preemption policy", {"preemptionPolicy": "Never"}, "preemption_policy", "Never"),
    ("node", {"nodeName": "n1"}, "node_name", "n1"),
    ("node selector", {"nodeSelector": {"disk": "ssd"}}, "node_selector", {"disk": "ssd"}),
    ("gates", {"schedulingGates": [{"name": "a.io/x"}, {"name": "b"}]}, "scheduling_gates", ("a.io/x", "b")),
    (
        "resource claims",
        {
            "resourceClaims": [
                {"name": "a", "resourceClaimName": "mine"},
                {"name": "b", "resourceClaimTemplateName": "t"},
            ]
        },
        "resource_claims",
        (PodClaim("a", "mine"), PodClaim("b", template="t")),
    ),
    ("null is absent", {"nodeSelector": None, "tolerations": None, "priority": None}, "tolerations", ()),
    (
        "tolerations",
        {"tolerations": [{"operator": "Exists"}, {"key": "a", "value": "b", "effect": "NoExecute"}]},
        "tolerations",
        (Toleration(operator="Exists"), Toleration("a", "", "b", "NoExecute")),
    ),
    (
        "container",
        {"containers": [{"name": "a", "image": "i:1", "resources": {"limits": {"cpu": "1"}}}]},
        "containers",
        (Container("a", "i:1", {"cpu": 1000}, {"cpu": 1000}),),
    ),
    (
        "sidecar",
        {"initContainers": [{"name": "s", "restartPolicy": "Always"}]},
        "init_containers",
        (Container("s", restart_policy="Always"),),
    ),
    (
        "host ports",
        {"containers": [{"name": "a", "ports": [{"containerPort": 1}, {"containerPort": 80, "hostPort": 8080}]}]},
        "host_ports",
        (HostPort("0.0.0.0", "TCP", 8080),),
    ),
    (
        "host network makes container ports host ports",
        {"hostNetwork": True, "containers": [{"name": "a", "ports": [{"containerPort": 53, "protocol": "UDP"}]}]},
        "host_ports",
        (HostPort("0.0.0.0", "UDP", 53),),
    ),
    (
        "ports of sidecars come first, those of init containers do not count",
        {
            "initContainers": [
                {"name": "once", "ports": [{"containerPort": 1, "hostPort": 1}]},
                {"name": "beside", "restartPolicy": "Always", "ports": [{"containerPort": 2, "hostPort": 2}]},
            ],
            "containers": [{"name": "a", "ports": [{"containerPort": 3, "hostPort": 3, "hostIP": "10.0.0.1"}]}],
        },
        "host_ports",
        (HostPort("0.0.0.0", "TCP", 2), HostPort("10.0.0.1", "TCP", 3)),
    ),
    (
        "the same port with and without an address is accepted, as by the API server",
        {
            "containers": [
                {
                    "name": "a",
                    "ports": [
                        {"containerPort": 80, "hostPort": 80},
                        {"containerPort": 81, "hostPort": 80, "hostIP": "0.0.0.0"},
                    ],
                }
            ]
        },
        "host_ports",
        (HostPort("0.0.0.0", "TCP", 80), HostPort("0.0.0.0", "TCP", 80)),
    ),
    (
        "volumes",
        {
            "volumes": [
                {"name": "data", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}},
                {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
                {"name": "tmp"},
                {"name": "disk", "gcePersistentDisk": {"pdName": "d"}},
            ]
        },
        "volumes",
        (
            PodVolume("data", "persistentVolumeClaim", {"claimName": "c", "readOnly": True}, "c", read_only=True),
            PodVolume("scratch", "ephemeral", {"volumeClaimTemplate": {"spec": {}}}, "web-scratch"),
            PodVolume("tmp", "emptyDir", {}),
            PodVolume("disk", "gcePersistentDisk", {"pdName": "d"}),
        ),
    ),
    (
        "node affinity",
        {
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["8"]}]},
                            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
                            {},
                        ]
                    },
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "weight": 7,
                            "preference": {"matchExpressions": [{"key": "z", "operator": "In", "values": ["b", "a"]}]},
                        }
                    ],
                }
            }
        },
        "node_affinity",
        NodeAffinity(
            NodeSelector(
                (
                    NodeSelectorTerm((Requirement("cores", "Gt", ("8",)),)),
                    NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n1",)),)),
                    NodeSelectorTerm(),
                )
            ),
            (PreferredSchedulingTerm(7, NodeSelectorTerm((Requirement("z", "In", ("b", "a")),))),),
        ),
    ),
    (
        "topology spread",
        {
            "topologySpreadConstraints": [
                {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
                {
                    "maxSkew": 2,
                    "topologyKey": "host",
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {},
                    "nodeAffinityPolicy": "Ignore",
                    "nodeTaintsPolicy": "Honor",
                    "matchLabelKeys": ["pod-template-hash"],
                },
            ]
        },
        "spread_constraints",
        (
            TopologySpreadConstraint(1, "zone", "DoNotSchedule"),
            TopologySpreadConstraint(
                2,
                "host",
                "ScheduleAnyway",
                LabelSelector(),
                node_affinity_policy="Ignore",
                node_taints_policy="Honor",
                match_label_keys=("pod-template-hash",),
            ),
        ),
    ),
]


@pytest.mark.parametrize(("spec", "attribute", "want"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_spec(spec: dict[str, Any], attribute: str, want: Any) -> None:
    assert getattr(pod(**spec), attribute) == want


def term(**more: Any) -> dict[str, Any]:
    return {"topologyKey": "zone", **more}


def requirements(*wanted: Requirement) -> LabelSelector:
    return LabelSelector(wanted)


TERMS: list[tuple[str, dict[str, Any], AffinityTerm]] = [
    ("its own namespace", term(), AffinityTerm("zone", None, frozenset({"shop"}))),
    ("everything", term(labelSelector={}), AffinityTerm("zone", LabelSelector(), frozenset({"shop"}))),
    ("namespaces", term(namespaces=["a", "b"]), AffinityTerm("zone", None, frozenset({"a", "b"}))),
    ("all namespaces", term(namespaceSelector={}), AffinityTerm("zone", None, frozenset(), LabelSelector())),
    (
        "labels before expressions, by key; values in order",
        term(
            labelSelector={
                "matchLabels": {"z": "1"},
                "matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["y", "x", "y"]}],
            }
        ),
        AffinityTerm(
            "zone",
            requirements(Requirement("a", "NotIn", ("x", "y")), Requirement("z", "In", ("1",))),
            frozenset({"shop"}),
        ),
    ),
    (
        "matchLabelKeys add the pod's own value, of labels that it has",
        term(labelSelector={"matchLabels": {"app": "web"}}, matchLabelKeys=["version", "none"]),
        AffinityTerm(
            "zone",
            requirements(Requirement("app", "In", ("web",)), Requirement("version", "In", ("2",))),
            frozenset({"shop"}),
        ),
    ),
    (
        "mismatchLabelKeys exclude it",
        term(labelSelector={}, mismatchLabelKeys=["version"]),
        AffinityTerm("zone", requirements(Requirement("version", "NotIn", ("2",))), frozenset({"shop"})),
    ),
    (
        "merged already, for a label that was changed since",
        term(
            labelSelector={"matchExpressions": [{"key": "version", "operator": "In", "values": ["1"]}]},
            matchLabelKeys=["version"],
        ),
        AffinityTerm("zone", requirements(Requirement("version", "In", ("1",))), frozenset({"shop"})),
    ),
]


@pytest.mark.parametrize(("given", "want"), [case[1:] for case in TERMS], ids=[case[0] for case in TERMS])
def test_pod_affinity_terms(given: dict[str, Any], want: AffinityTerm) -> None:
    both = {
        "requiredDuringSchedulingIgnoredDuringExecution": [given],
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 3, "podAffinityTerm": given}],
    }
    parsed = pod(
        {"namespace": "shop", "labels": {"version": "2"}}, affinity={"podAffinity": both, "podAntiAffinity": both}
    )
    assert parsed.pod_affinity == PodAffinity((want,), (WeightedAffinityTerm(3, want),))
    assert parsed.pod_anti_affinity == parsed.pod_affinity


def test_merging_label_keys_again_changes_nothing() -> None:
    once = {
        "matchLabels": {"app": "web"},
        "matchExpressions": [{"key": "version", "operator": "In", "values": ["2"]}],
    }
    given = [term(labelSelector=once, matchLabelKeys=["version"]), term(labelSelector=once)]
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": given}}
    first, second = pod({"labels": {"version": "2"}}, affinity=affinity).pod_affinity.required
    assert first == second


def test_status() -> None:
    parsed = pod(
        status={
            "phase": "Running",
            "nominatedNodeName": "n2",
            "startTime": "2025-06-01T00:00:07Z",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2025-06-01T00:00:06Z"},
                {"type": "Ready", "status": "False", "reason": "X", "message": "m", "lastTransitionTime": None},
            ],
        }
    )
    assert (parsed.phase, parsed.nominated_node_name, parsed.start_time) == ("Running", "n2", 1748736007.0)
    assert parsed.conditions == (
        PodCondition("PodScheduled", "True", last_transition_time=1748736006.0),
        PodCondition("Ready", "False", "X", "m"),
    )


@pytest.mark.parametrize(
    ("phase", "finished"), [("Succeeded", True), ("Failed", True), ("Running", False), ("Sleeping", False)]
)
def test_finished_pods(phase: str, finished: bool) -> None:
    assert pod(status={"phase": phase}).finished is finished


def test_parsed_parts_are_hashable() -> None:
    """They are the keys of caches."""
    parsed = pod(
        {"labels": {"a": "b"}},
        affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term(labelSelector={})]}},
        topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}],
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        tolerations=[{"operator": "Exists"}],
        containers=[{"name": "a", "resources": {"requests": {"cpu": "1"}}}],
    )
    parts = (parsed.pod_affinity, parsed.spread_constraints, parsed.volumes, parsed.tolerations, parsed.containers)
    assert hash(parts) == hash(parts)
