"""What an API server makes of the parts of a pod that a client leaves to it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.resources import table
from kube_apiserver.writes import handlers, pod_subresources
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import STRATEGIC_PATCH

PODS = table()["", "v1", "pods"]
TIME = "2026-11-22T12:00:00Z"
Object = dict[str, Any]
KATA: Object = {
    "kind": "RuntimeClass",
    "metadata": {"name": "kata"},
    "scheduling": {
        "nodeSelector": {"kata": "yes"},
        "tolerations": [{"key": "vm", "operator": "Exists"}, {"key": "own", "operator": "Exists"}],
    },
}


PLACE = {"topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "eu"}
NODE: Object = {"metadata": {"name": "node-1", "labels": {**PLACE, "disk": "ssd"}}}


class _World:
    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        found: dict[str, Object] = {"Namespace": {"metadata": {"name": name}}, "RuntimeClass": KATA, "Node": NODE}
        return found.get(kind)

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]:
        return []


def made(labels: Mapping[str, str] | None = None, **fields: Any) -> Object:
    spec = {"containers": [{"name": "main", "image": "nginx:1.27"}], **fields}
    sent = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": labels or {}}, "spec": spec}
    value = handlers.create(PODS, "shop", sent, WriteOptions("kubectl", TIME), _World()).value
    assert value is not None
    return value


def test_label_keys_are_a_part_of_the_selector() -> None:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["hash", "no"]}
    apart = {"topologyKey": "zone", "labelSelector": {}, "mismatchLabelKeys": ["hash"]}
    spec = made(
        {"app": "web", "hash": "abc"},
        topologySpreadConstraints=[{**term, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
        affinity={
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": apart}]
            },
        },
    )["spec"]
    within = {"key": "hash", "operator": "In", "values": ["abc"]}
    (spread,) = spec["topologySpreadConstraints"]
    (near,) = spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (far,) = spec["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert spread["labelSelector"] == near["labelSelector"]
    assert near["labelSelector"] == {"matchLabels": {"app": "web"}, "matchExpressions": [within]}
    assert far["podAffinityTerm"]["labelSelector"]["matchExpressions"] == [{**within, "operator": "NotIn"}]


def test_a_runtime_class_adds_its_tolerations_last_and_once() -> None:
    own = {"key": "own", "operator": "Equal", "value": "x"}
    spec = made(runtimeClassName="kata", tolerations=[own])["spec"]
    # What a class tolerates more widely takes the place of the pod's own.
    keys = [each["key"] for each in spec["tolerations"]]
    assert keys == ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "vm", "own"]
    assert spec["tolerations"][-1]["operator"] == "Exists"


def test_a_node_selector_against_its_runtime_class_is_refused() -> None:
    with pytest.raises(ApiError) as caught:
        made(runtimeClassName="kata", nodeSelector={"kata": "no"})
    both = "runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no"
    assert str(caught.value).endswith(f"forbidden: conflict: {both}")


def test_a_container_that_joins_later_has_its_defaults() -> None:
    live = made()
    del live["spec"]["dnsPolicy"]
    asked = WriteOptions("kubectl", TIME, subresource="ephemeralcontainers")
    sent = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox"}]}}
    value = handlers.patch(PODS, live, STRATEGIC_PATCH, sent, asked, _World()).value
    assert value is not None
    (joined,) = value["spec"]["ephemeralContainers"]
    assert (joined["imagePullPolicy"], joined["terminationMessagePath"]) == ("Always", "/dev/termination-log")
    # Only this part goes through the door.
    assert "dnsPolicy" not in value["spec"]


def test_a_pod_on_a_node_has_the_labels_of_its_place() -> None:
    own = {"app": "web", "topology.kubernetes.io/zone": "mine"}
    assert made(own, nodeName="node-1")["metadata"]["labels"] == {"app": "web", **PLACE}
    assert made(own)["metadata"]["labels"] == own
    bound = pod_subresources.bind_pod(
        made(own), {"metadata": {}, "target": {"kind": "Node", "name": "node-1"}}, TIME, _World()
    )
    assert bound["metadata"]["labels"] == {"app": "web", **PLACE}


# Measured from kube-apiserver v1.36.2: `given` is the pod's own, beside a container, an init container and a sidecar.
@pytest.mark.parametrize(
    ("given", "want"),
    [
        ({}, {}),
        ({"requests": {"cpu": "5"}}, {"limits": {"hugepages-2Mi": "6Mi"}, "requests": {"cpu": "5", "memory": "84Mi"}}),
        ({"limits": {"cpu": "9"}}, {"limits": {"cpu": "9"}, "requests": {"cpu": "2100m", "memory": "84Mi"}}),
    ],
)
def test_resources_of_a_pod_are_filled_in_by_those_of_its_containers(given: Object, want: Object) -> None:
    main = {"requests": {"cpu": "50m"}, "limits": {"memory": "64Mi", "hugepages-2Mi": "4Mi"}}
    side = {"requests": {"cpu": "100m", "memory": "20Mi"}, "limits": {"hugepages-2Mi": "2Mi"}}
    spec = made(
        resources=given,
        containers=[{"name": "a", "image": "x", "resources": main}],
        initContainers=[
            {"name": "side", "image": "x", "restartPolicy": "Always", "resources": side},
            {"name": "i", "image": "x", "resources": {"requests": {"cpu": "2"}}},
        ],
    )["spec"]
    huge = {"hugepages-2Mi": "6Mi"} if want else {}
    got = spec.get("resources") or {}
    assert got == {which: {**each, **huge} for which, each in want.items()}
