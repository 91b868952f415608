"""Nodes, storage and workloads: what is read of them, and their defaults."""

from dataclasses import fields
from typing import Any

import pytest

from kube_objects.kinds.storage.csi_node import CSINodeDriver
from kube_objects.meta import KubeObject, copied
from kube_objects.node import ContainerImage, Node
from kube_objects.parse import parse_node, parse_object
from kube_objects.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from kube_objects.taints import Taint
from kube_objects.text.problems import ObjectError
from tests.conformance.testing import make_node

GI = 2**30
APP_WEB = LabelSelector((Requirement("app", "In", ("web",)),))


def test_node() -> None:
    node = parse_node(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n1", "labels": {"zone": "a"}},
            "spec": {"unschedulable": True, "taints": [{"key": "gpu", "effect": "NoSchedule", "timeAdded": None}]},
            "status": {
                "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110", "nvidia.com/gpu": "2", "hugepages-2Mi": "0"},
                "allocatable": {"cpu": "3920m", "memory": "14.5Gi", "pods": 100, "nvidia.com/gpu": "2"},
                "images": [{"names": ["app:v1", "app@sha256:0"], "sizeBytes": 5}, {"sizeBytes": 7}],
                "conditions": [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "False"}],
            },
        }
    )
    assert node.unschedulable
    assert node.taints == (Taint("gpu", "", "NoSchedule"),)
    assert node.allocatable == {"cpu": 3920, "memory": 29 * GI // 2, "pods": 100, "nvidia.com/gpu": 2}
    assert node.capacity["hugepages-2Mi"] == 0
    assert node.images == (ContainerImage(("app:v1", "app@sha256:0"), 5), ContainerImage((), 7))
    assert node.conditions == {"Ready": "True", "DiskPressure": "False"}


@pytest.mark.parametrize(
    ("status", "allocatable"),
    [
        ({}, {}),
        ({"capacity": {"cpu": "2"}}, {"cpu": 2000}),
        ({"capacity": {"cpu": "2"}, "allocatable": {}}, {}),
        ({"allocatable": {"cpu": "1"}}, {"cpu": 1000}),
    ],
)
def test_allocatable_is_the_capacity_if_absent(status: dict[str, Any], allocatable: dict[str, int]) -> None:
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status}
    assert parse_node(manifest).allocatable == allocatable


def manifest(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    metadata = {"name": "x", **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
VOLUME = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}

KINDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # name, manifest, wanted attributes
    (
        "namespace",
        manifest("v1", "Namespace", metadata={"labels": {"team": "a"}}),
        {"key": "x", "labels": {"team": "a", "kubernetes.io/metadata.name": "x"}},
    ),
    (
        "service",
        manifest("v1", "Service", spec={"selector": {"app": "web"}, "ports": [{"port": 1}]}),
        {"key": "default/x", "selector": {"app": "web"}},
    ),
    ("service without selector", manifest("v1", "Service", spec={}), {"selector": {}}),
    (
        "replica set",
        manifest("apps/v1", "ReplicaSet", spec={"selector": {"matchLabels": {"app": "web"}}}),
        {"selector": APP_WEB},
    ),
    ("stateful set", manifest("apps/v1", "StatefulSet", spec={"selector": {}}), {"selector": LabelSelector()}),
    (
        "replication controller",
        manifest("v1", "ReplicationController", spec={"selector": {"app": "web"}}),
        {"selector": APP_WEB, "labels": {}},
    ),
    (
        "replication controller that takes after its template",
        manifest("v1", "ReplicationController", spec={"template": {"metadata": {"labels": {"app": "web"}}}}),
        {"selector": APP_WEB, "labels": {"app": "web"}},
    ),
    (
        "priority class",
        manifest("scheduling.k8s.io/v1", "PriorityClass", value=1000, globalDefault=True, preemptionPolicy="Never"),
        {"key": "x", "value": 1000, "global_default": True, "preemption_policy": "Never"},
    ),
    (
        "system priority class",
        manifest("scheduling.k8s.io/v1", "PriorityClass", metadata={"name": "system-node-critical"}, value=2000001000),
        {"value": 2000001000, "preemption_policy": "PreemptLowerPriority"},
    ),
    (
        "disruption budget",
        manifest(
            "policy/v1",
            "PodDisruptionBudget",
            spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
            status={"disruptionsAllowed": 2, "disruptedPods": {"web-1": "2025-06-01T00:00:00Z"}},
        ),
        {"selector": APP_WEB, "disruptions_allowed": 2, "disrupted_pods": frozenset({"web-1"})},
    ),
    ("budget for nothing", manifest("policy/v1", "PodDisruptionBudget"), {"selector": None, "disruptions_allowed": 0}),
    (
        "volume",
        manifest(
            "v1",
            "PersistentVolume",
            spec={
                **VOLUME,
                "storageClassName": "fast",
                "mountOptions": ["ro"],
                "csi": {"driver": "d", "volumeHandle": "h"},
                "claimRef": {"namespace": "default", "name": "c", "uid": "u", "kind": "PersistentVolumeClaim"},
                "nodeAffinity": {
                    "required": {
                        "nodeSelectorTerms": [{"matchExpressions": [{"key": "z", "operator": "In", "values": ["a"]}]}]
                    }
                },
            },
            status={"phase": "Bound"},
        ),
        {
            "key": "x",
            "capacity": GI,
            "access_modes": ("ReadWriteOnce",),
            "storage_class_name": "fast",
            "volume_mode": "Filesystem",
            "claim_ref": ("default", "c", "u"),
            "node_affinity": NodeSelector((NodeSelectorTerm((Requirement("z", "In", ("a",)),)),)),
            "phase": "Bound",
            "source": "csi",
            "source_spec": {"driver": "d", "volumeHandle": "h"},
        },
    ),
    (
        "volume, defaults",
        manifest("v1", "PersistentVolume", spec={**VOLUME, "volumeMode": "Block"}),
        {"phase": "Pending", "claim_ref": None, "volume_mode": "Block", "storage_class_name": "", "source": ""},
    ),
    (
        "claim",
        manifest(
            "v1",
            "PersistentVolumeClaim",
            spec={**CLAIM, "storageClassName": "", "volumeName": "v", "selector": {"matchLabels": {"app": "web"}}},
            status={"phase": "Bound"},
        ),
        {
            "key": "default/x",
            "request": GI,
            "storage_class_name": "",
            "volume_name": "v",
            "selector": APP_WEB,
            "phase": "Bound",
        },
    ),
    (
        "claim, defaults",
        manifest("v1", "PersistentVolumeClaim", spec=CLAIM),
        {"storage_class_name": None, "phase": "Pending", "volume_mode": "Filesystem", "selector": None},
    ),
    (
        "claim with its class in the old annotation",
        manifest(
            "v1",
            "PersistentVolumeClaim",
            metadata={"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
            spec={**CLAIM, "storageClassName": "new"},
        ),
        {"storage_class_name": "old"},
    ),
    (
        "storage class",
        manifest(
            "storage.k8s.io/v1",
            "StorageClass",
            provisioner="p",
            volumeBindingMode="WaitForFirstConsumer",
            allowedTopologies=[{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}],
        ),
        {
            "provisioner": "p",
            "volume_binding_mode": "WaitForFirstConsumer",
            "allowed_topologies": (NodeSelectorTerm((Requirement("zone", "In", ("a", "b")),)),),
        },
    ),
    (
        "storage class, defaults",
        manifest("storage.k8s.io/v1", "StorageClass", provisioner="p"),
        {"volume_binding_mode": "Immediate", "allowed_topologies": ()},
    ),
    (
        "CSI node",
        manifest(
            "storage.k8s.io/v1",
            "CSINode",
            spec={"drivers": [{"name": "a", "nodeID": "i", "allocatable": {"count": 3}}, {"name": "b"}]},
        ),
        {"drivers": (CSINodeDriver("a", "i", 3), CSINodeDriver("b", "", None))},
    ),
    (
        "CSI driver",
        manifest("storage.k8s.io/v1", "CSIDriver", spec={"storageCapacity": True}),
        {"storage_capacity": True},
    ),
    (
        "CSI storage capacity",
        manifest(
            "storage.k8s.io/v1",
            "CSIStorageCapacity",
            storageClassName="fast",
            capacity="10Gi",
            maximumVolumeSize="500m",
            nodeTopology={"matchLabels": {"app": "web"}},
        ),
        {
            "key": "default/x",
            "storage_class_name": "fast",
            "capacity": 10 * GI,
            "maximum_volume_size": 1,
            "node_topology": APP_WEB,
        },
    ),
    (
        "volume attachment",
        manifest(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            spec={"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
        ),
        {"attacher": "d", "node_name": "n", "persistent_volume_name": "v"},
    ),
    (
        "a kind that scheduling does not read",
        manifest("apps/v1", "Deployment", metadata={"namespace": "shop"}, spec={"replicas": 3}),
        {"kind": "Deployment", "key": "shop/x"},
    ),
    (
        "one without a namespace",
        manifest("rbac.authorization.k8s.io/v1", "ClusterRole", metadata={"name": "system:node"}),
        {"kind": "ClusterRole", "key": "system:node"},
    ),
    (
        "another group's kind of a known name is not taken for ours",
        manifest("serving.knative.dev/v1", "Service", metadata={"namespace": "shop"}, spec={"selector": 1}),
        {"kind": "Service.serving.knative.dev", "key": "shop/x"},
    ),
    (
        "nor for one that controllers read",
        manifest("batch.volcano.sh/v1alpha1", "Job", metadata={"namespace": "shop"}, spec={"tasks": []}),
        {"kind": "Job.batch.volcano.sh", "key": "shop/x"},
    ),
    (
        "nor for one that only an API server knows",
        manifest("networking.internal.knative.dev/v1alpha1", "Ingress", metadata={"namespace": "shop"}),
        {"kind": "Ingress.networking.internal.knative.dev", "key": "shop/x"},
    ),
    (
        "one of a group of Kubernetes that its servers do not have",
        manifest("gateway.networking.k8s.io/v1", "Gateway", metadata={"namespace": "shop"}),
        {"kind": "Gateway.gateway.networking.k8s.io", "key": "shop/x"},
    ),
    (
        "which Kubernetes served in another group before",
        manifest("extensions/v1beta1", "Deployment", metadata={"namespace": "shop"}, spec={"replicas": 3}),
        {"kind": "Deployment", "key": "shop/x"},
    ),
]


@pytest.mark.parametrize(("given", "want"), [case[1:] for case in KINDS], ids=[case[0] for case in KINDS])
def test_kinds(given: dict[str, Any], want: dict[str, Any]) -> None:
    parsed = parse_object(given)
    assert {name: getattr(parsed, name) for name in want} == want
    assert parsed.manifest is given


def test_a_kind_that_is_not_read_is_a_plain_object() -> None:
    assert type(parse_object(manifest("v1", "ConfigMap", data={"a": "b"}))) is KubeObject


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "kind: Required value; an object needs kind and apiVersion\napiVersion: Required value"),
        ({"kind": "Pod"}, 'apiVersion: Required value; for kind Pod it is "v1"'),
        (
            manifest("example.com/v1", "W" * 306),
            f'kind: "{"W" * 80}…": must be no more than 317 characters, with its group',
        ),
        (
            manifest("extensions/v1beta1", "Deployment") | {"kind": "Pod", "apiVersion": "v2"},
            'apiVersion: "v2": Kubernetes 1.34 does not serve Pod in this version; use "v1"',
        ),
        (
            manifest("policy/v1beta1", "PodDisruptionBudget"),
            'apiVersion: "policy/v1beta1": Kubernetes 1.34 does not serve PodDisruptionBudget in this version; '
            'use "policy/v1"',
        ),
    ],
)
def test_what_cannot_be_told(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ObjectError) as raised:
        parse_object(given)
    assert str(raised.value) == message


def test_parse_node_takes_nodes_only() -> None:
    assert isinstance(parse_node(make_node("n").manifest()), Node)
    with pytest.raises(ObjectError, match='kind: "Pod": must be "Node"'):
        parse_node(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a"}]}}
        )


def test_a_copy_has_every_field_and_goes_its_own_way() -> None:
    node = parse_node(make_node("a").manifest())
    copy = copied(node)
    assert [getattr(copy, each.name) for each in fields(node)] == [getattr(node, each.name) for each in fields(node)]
    copy.unschedulable = True
    assert not node.unschedulable
    plain = copied(KubeObject(kind="Widget", name="w"))
    assert (type(plain), plain.key) == (KubeObject, "w")
