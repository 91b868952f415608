"""The admission chain: upstream's plugins in upstream's order, each of which returns a new object."""

from copy import deepcopy
from typing import Any

import pytest

from kube_apiserver.admission import chain
from kube_apiserver.admission.attributes import Attributes
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import by_kind

# Source: pkg/kubeapiserver/options/plugins.go AllOrderedPlugins of v1.36, without plugins that nothing here needs.
UPSTREAM = [
    *("NamespaceLifecycle", "LimitRanger", "TaintNodesByCondition", "PodSecurity", "Priority"),
    *("DefaultTolerationSeconds", "DefaultStorageClass", "StorageObjectInUseProtection"),
    *("PersistentVolumeClaimResize", "RuntimeClass", "DefaultIngressClass", "PodTopologyLabels"),
    *("NodeDeclaredFeatureValidator", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy", "ResourceQuota"),
]


class World:
    """A namespace with limits, a default class of each kind, and a node in a zone."""

    objects: dict[str, list[dict[str, Any]]] = {
        "Namespace": [{"metadata": {"name": "shop"}}],
        "LimitRange": [{"spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": "100m"}}]}}],
        "PriorityClass": [{"metadata": {"name": "usual"}, "value": 7, "globalDefault": True}],
        "StorageClass": [
            {"metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}}
        ],
        "Node": [{"metadata": {"name": "n", "labels": {"topology.kubernetes.io/zone": "a"}}}],
    }

    def get(self, kind: str, name: str, namespace: str = "") -> dict[str, Any] | None:
        return next((each for each in self.objects.get(kind, []) if each["metadata"]["name"] == name), None)

    def list(self, kind: str, namespace: str = "") -> list[dict[str, Any]]:
        return self.objects.get(kind, [])


POD = {"metadata": {"name": "p", "namespace": "shop"}, "spec": {"containers": [{"name": "c"}], "nodeName": "n"}}
CASES: list[tuple[str, dict[str, Any], list[Any], Any]] = [
    # kind, object, path, value after admission
    ("Pod", POD, ["spec", "containers", 0, "resources", "requests", "cpu"], "100m"),
    ("Pod", POD, ["spec", "priority"], 7),
    ("Pod", POD, ["spec", "tolerations", 1, "key"], "node.kubernetes.io/unreachable"),
    ("Pod", POD, ["metadata", "labels", "topology.kubernetes.io/zone"], "a"),
    ("Node", {"metadata": {"name": "n"}, "spec": {}}, ["spec", "taints", 0, "key"], "node.kubernetes.io/not-ready"),
    ("PersistentVolumeClaim", {"metadata": {"name": "c", "namespace": "shop"}, "spec": {}},
     ["spec", "storageClassName"], "fast"),
    ("PersistentVolumeClaim", {"metadata": {"name": "c", "namespace": "shop"}, "spec": {}},
     ["metadata", "finalizers", 0], "kubernetes.io/pvc-protection"),
]  # fmt: skip


def test_the_plugins_are_upstreams_in_its_order() -> None:
    assert [plugin.name for plugin in chain.PLUGINS] == UPSTREAM


@pytest.mark.parametrize(("kind", "value", "path", "want"), CASES, ids=[str(case[2]) for case in CASES])
def test_a_plugin_returns_a_new_object(kind: str, value: dict[str, Any], path: list[Any], want: Any) -> None:
    before = deepcopy(value)
    found: Any = chain.admit(Attributes(by_kind(kind), None, value, World()))
    for part in path:
        found = found[part]
    assert found == want
    assert value == before


def test_nothing_is_created_in_a_namespace_that_is_missing() -> None:
    pod = {"metadata": {"generateName": "p-", "namespace": "other"}, "spec": {"containers": []}}
    with pytest.raises(ApiError) as refused:
        chain.admit(Attributes(by_kind("Pod"), None, pod, World()))
    assert (refused.value.code, str(refused.value)) == (404, 'namespaces "other" not found')


def test_limits_are_checked_before_policies_and_quotas() -> None:
    """Upstream runs LimitRanger.Validate first: its refusal hides those of the plugins behind it."""
    world = World()
    most = {"type": "Container", "max": {"cpu": "1"}}
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0"}}, "status": {"hard": {"pods": "0"}, "used": {}}}
    world.objects = {**World.objects, "LimitRange": [{"spec": {"limits": [most]}}], "ResourceQuota": [quota]}
    container = {"name": "c", "resources": {"limits": {"cpu": "2"}}}
    pod = {"metadata": {"name": "p", "namespace": "shop"}, "spec": {"containers": [container]}}
    with pytest.raises(ApiError) as refused:
        chain.validate(Attributes(by_kind("Pod"), None, pod, world))
    assert str(refused.value) == ('pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2')
