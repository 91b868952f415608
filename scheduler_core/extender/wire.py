"""The requests and responses of extenders, as JSON and as Go types.

Source: k8s.io/kube-scheduler/extender/v1 types.go.
"""

import json
from collections.abc import Mapping
from typing import Any

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.extender.api_view import api_view
from scheduler_core.extender.go_types import INT64, TEXT, TEXTS, Map, Pointer, Slice, Struct
from scheduler_core.extender.node_types import NODE_LIST
from scheduler_core.framework.extender import Victims

_FAILED_NODES = Map(TEXT, "v1.FailedNodesMap")
FILTER_RESULT = Struct(
    "ExtenderFilterResult",
    {
        "Nodes": Pointer(NODE_LIST),
        "NodeNames": Pointer(TEXTS),
        "FailedNodes": _FAILED_NODES,
        "FailedAndUnresolvableNodes": _FAILED_NODES,
        "Error": TEXT,
    },
)
HOST_PRIORITIES = Slice(Struct("HostPriority", {"Host": TEXT, "Score": INT64}), "v1.HostPriorityList")
BINDING_RESULT = Struct("ExtenderBindingResult", {"Error": TEXT})
_META_VICTIMS = Struct(
    "MetaVictims", {"Pods": Slice(Pointer(Struct("MetaPod", {"UID": TEXT}))), "NumPDBViolations": INT64}
)
PREEMPTION_RESULT = Struct("ExtenderPreemptionResult", {"NodeNameToMetaVictims": Map(Pointer(_META_VICTIMS))})


def encode(args: Mapping[str, Any]) -> bytes:
    return json.dumps(args, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def nodes_args(pod: Pod, nodes: Nodes, by_name: bool) -> dict[str, Any]:
    """Return ExtenderArgs, for filter and prioritize; `by_name` for a nodeCacheCapable extender."""
    items = None if by_name else {"metadata": {}, "items": [api_view(view.node) for view in nodes]}
    return {"Pod": api_view(pod), "Nodes": items, "NodeNames": nodes.names if by_name else None}


def preemption_args(pod: Pod, victims: Mapping[str, Victims], by_uid: bool) -> dict[str, Any]:
    """Return ExtenderPreemptionArgs; `by_uid` for a nodeCacheCapable extender."""

    def victim_of(victim: Pod) -> dict[str, Any]:
        return {"UID": victim.uid} if by_uid else api_view(victim)

    victims_of = {
        name: {"Pods": [victim_of(pod) for pod in of_node.pods], "NumPDBViolations": of_node.pdb_violations}
        for name, of_node in sorted(victims.items())
    }
    return {
        "Pod": api_view(pod),
        "NodeNameToVictims": None if by_uid else victims_of,
        "NodeNameToMetaVictims": victims_of if by_uid else None,
    }


def binding_args(pod: Pod, node_name: str) -> dict[str, Any]:
    """Return ExtenderBindingArgs."""
    return {"PodName": pod.name, "PodNamespace": pod.namespace, "PodUID": pod.uid, "Node": node_name}
