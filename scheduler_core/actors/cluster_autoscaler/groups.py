"""Node groups and the settings of an autoscaler, as objects of the cluster say them.

A `NodeGroup` (of `playground.kube-scheduler/v1`) has `spec.template`, a Node; `minSize`, `maxSize`; `price` of a node
for an hour; `provisionSeconds` until one is there. A `ClusterAutoscaler` has the settings, under the names of
upstream's flags. Source: cluster-autoscaler/config/autoscaling_options.go, cloudprovider/cloud_provider.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scheduler_core.actors.cluster_autoscaler.drainability import Rules
from scheduler_core.actors.cluster_autoscaler.expanders import EXPANDERS, priorities_of
from scheduler_core.actors.manifests import Manifest, labels, name, number, spec
from scheduler_core.actors.objects import View

GROUP = "NodeGroup"
GROUP_LABEL = "playground.kube-scheduler/node-group"
_MOST_NODES = 5000


class NodeGroup(NamedTuple):
    name: str
    template: Manifest
    least: int
    most: int
    price: float | None
    provision_seconds: float


class Options(NamedTuple):
    """Defaults are upstream's."""

    expanders: Sequence[str] = ("least-waste",)
    priorities: Mapping[int, Sequence[str]] = {}
    scan: float = 10.0
    threshold: float = 0.5
    unneeded: float = 600.0
    after_add: float = 600.0
    cutoff: int = -10
    scales_down: bool = True
    rules: Rules = Rules()


def group_of(obj: Manifest) -> NodeGroup:
    fields = spec(obj)
    given: Mapping[str, Any] = fields.get("template") or {}
    about: Mapping[str, Any] = given.get("metadata") or {}
    found = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            **about,
            "name": name(obj),
            "labels": {**(about.get("labels") or {}), GROUP_LABEL: name(obj)},
        },
        "spec": dict(given.get("spec") or {}),
        "status": _status(given.get("status") or {}),
    }
    most = min(max(number(fields.get("maxSize"), 10), 0), _MOST_NODES)
    price = fields.get("price")
    return NodeGroup(
        name(obj),
        found,
        max(number(fields.get("minSize"), 0), 0),
        most,
        None if price is None else float(price),
        max(float(fields.get("provisionSeconds", 60)), 0.0),
    )


def _status(given: Mapping[str, Any]) -> dict[str, Any]:
    capacity = given.get("capacity") or given.get("allocatable") or {}
    return {
        **given,
        "capacity": capacity,
        "allocatable": given.get("allocatable") or capacity,
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
    }


def groups_of(view: View) -> list[NodeGroup]:
    return [group_of(obj) for obj in view.of_kind(GROUP)]


def nodes_of(group: NodeGroup, view: View) -> list[Manifest]:
    return [node for node in view.of_kind("Node") if labels(node).get(GROUP_LABEL) == group.name]


def options_of(obj: Manifest) -> Options:
    """ValueError for what is no setting."""
    fields, known = spec(obj), Options()
    expanders = [part.strip() for part in str(fields.get("expander", "least-waste")).split(",")]
    for one in expanders:
        if one not in EXPANDERS:
            raise ValueError(f"{one!r} is no expander; there are {', '.join(EXPANDERS)}")
    return Options(
        expanders,
        priorities_of(fields.get("priorities") or {}),
        max(float(fields.get("scanIntervalSeconds", known.scan)), 1.0),
        float(fields.get("scaleDownUtilizationThreshold", known.threshold)),
        max(float(fields.get("scaleDownUnneededSeconds", known.unneeded)), 0.0),
        max(float(fields.get("scaleDownDelayAfterAddSeconds", known.after_add)), 0.0),
        int(fields.get("expendablePodsPriorityCutoff", known.cutoff)),
        bool(fields.get("scaleDownEnabled", True)),
        Rules(
            bool(fields.get("skipNodesWithLocalStorage", True)),
            bool(fields.get("skipNodesWithSystemPods", True)),
            bool(fields.get("skipNodesWithCustomControllerPods", True)),
        ),
    )
