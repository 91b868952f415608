"""DefaultTolerationSeconds, RuntimeClass, PodTopologyLabels and NodeDeclaredFeatureValidator.

Source: plugin/pkg/admission/{defaulttolerationseconds,runtimeclass,podtopologylabels,nodedeclaredfeatures}.
"""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.admission.attributes import Attributes, ClusterReader

Object = dict[str, Any]

TOLERATION_SECONDS = 300
_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_PLACE = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")


def default_toleration_seconds(attributes: Attributes) -> Object:
    pod = attributes.value
    return {**pod, "spec": with_default_tolerations(pod["spec"])}


def with_default_tolerations(spec: Mapping[str, Any]) -> Object:
    """Return a Pod spec that tolerates a failing Node for a while. Source: defaulttolerationseconds."""
    tolerations = list(spec.get("tolerations") or ())
    missing = [
        {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": TOLERATION_SECONDS}
        for taint in _TAINTS
        if not any(
            toleration.get("key") in (taint, None, "") and toleration.get("effect") in ("NoExecute", None, "")
            for toleration in tolerations
        )
    ]
    return {**spec, "tolerations": tolerations + missing} if missing else dict(spec)


def runtime_class(attributes: Attributes) -> Object:
    """Set overhead, node selector and tolerations of a new Pod from its RuntimeClass.

    Source: plugin/pkg/admission/runtimeclass.
    """
    pod = attributes.value
    if attributes.live is not None:
        return pod
    spec, stored_class = dict(pod["spec"]), None
    if name := spec.get("runtimeClassName"):
        stored_class = attributes.world.get("RuntimeClass", str(name))
        if stored_class is None:
            raise attributes.forbidden(f'pod rejected: RuntimeClass "{name}" not found')
    overhead = ((stored_class or {}).get("overhead") or {}).get("podFixed")
    if overhead:
        if spec.get("overhead") not in (None, {}, overhead):
            raise attributes.forbidden(
                "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
            )
        spec["overhead"] = dict(overhead)
    elif spec.get("overhead"):
        raise attributes.forbidden(
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        )
    scheduling = (stored_class or {}).get("scheduling") or {}
    if not scheduling:
        return {**pod, "spec": spec} if overhead else pod
    selector = {**(spec.get("nodeSelector") or {})}
    for key, value in (scheduling.get("nodeSelector") or {}).items():
        if selector.setdefault(key, value) != value:
            both = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}]"
            raise attributes.forbidden(f"conflict: {both} = {selector[key]}")
    tolerations = _merged([*(spec.get("tolerations") or []), *(scheduling.get("tolerations") or [])])
    return {**pod, "spec": {**spec, **({"nodeSelector": selector} if selector else {}), "tolerations": tolerations}}


def _merged(tolerations: list[Object]) -> list[Object]:
    """Return the tolerations without those that another one covers. Source: pkg/util/tolerations MergeTolerations."""
    merged = list[Object]()
    for number, each in enumerate(tolerations):
        later = [other for other in tolerations[number + 1 :] if other != each]
        if not any(_tolerates_as_much(other, each) for other in [*merged, *later]):
            merged.append(each)
    return merged


def _tolerates_as_much(wide: Object, narrow: Object) -> bool:
    """Return True if one toleration covers the other. Source: isSuperset."""
    exists = wide.get("operator") == "Exists"
    if wide == narrow:
        return True
    if wide.get("key") != narrow.get("key") and (wide.get("key") or not exists):
        return False
    if wide.get("effect") and wide["effect"] != narrow.get("effect"):
        return False
    most, seconds = wide.get("tolerationSeconds"), narrow.get("tolerationSeconds")
    if wide.get("effect") == "NoExecute" and most is not None and (seconds is None or seconds > most):
        return False
    return exists or (narrow.get("operator") == "Equal" and narrow.get("value") == wide.get("value"))


def topology_labels(attributes: Attributes) -> Object:
    """Add the topology labels of the Node to a Pod that is created on a Node."""
    pod = attributes.value
    node = pod["spec"].get("nodeName")
    if attributes.live is not None or not node:
        return pod
    labels = with_topology(str(node), pod["metadata"].get("labels"), attributes.world)
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}} if labels else pod


def with_topology(node: str, labels: Mapping[str, Any] | None, world: ClusterReader) -> Object:
    """Return the labels of a Pod with the region and the zone of its Node. Source: podtopologylabels."""
    found = ((world.get("Node", node) or {}).get("metadata") or {}).get("labels") or {}
    return {**(labels or {}), **{name: found[name] for name in _PLACE if name in found}}


def declared_features(attributes: Attributes) -> list[str]:
    """Refuse the resize of a Pod whose Node does not exist. Source: nodedeclaredfeatures."""
    node = attributes.value["spec"].get("nodeName")
    if attributes.subresource == "resize" and node and attributes.world.get("Node", node) is None:
        raise attributes.forbidden(f'node "{node}" not found')
    return []
