"""TaintNodesByCondition: taint a new Node until its controller has seen it ready.

Source: plugin/pkg/admission/nodetaint.
"""

from typing import Any

from kube_apiserver.admission.attributes import Attributes

_NOT_READY = "node.kubernetes.io/not-ready"


def admit(attributes: Attributes) -> dict[str, Any]:
    node, spec = attributes.value, attributes.value.get("spec") or {}
    taints = spec.get("taints") or []
    if attributes.live is not None or any(_is_not_ready(taint) for taint in taints):
        return node
    return {**node, "spec": {**spec, "taints": [*taints, {"effect": "NoSchedule", "key": _NOT_READY}]}}


def _is_not_ready(taint: dict[str, Any]) -> bool:
    return (taint.get("key"), taint.get("effect")) == (_NOT_READY, "NoSchedule")
