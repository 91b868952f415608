"""Node groups and the autoscaler's settings, read from objects of the cluster.

A `NodeGroup` (of `playground.kube-scheduler/v1`) has `spec.template` (a Node), `minSize`, `maxSize`, `price` (of a Node
for an hour) and `provisionSeconds`. A `ClusterAutoscaler` has the settings under the names of upstream's flags.

Source: cluster-autoscaler/config/autoscaling_options.go, cloudprovider/cloud_provider.go.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kube_controllers.cluster_autoscaler.drainability import DrainRules
from kube_controllers.cluster_autoscaler.expanders import EXPANDERS, priorities_of
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, labels, name

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
    """The autoscaler's settings, with upstream's defaults."""

    expanders: Sequence[str] = ("least-waste",)
    priorities: Mapping[int, Sequence[str]] = {}
    scan: float = 10.0
    threshold: float = 0.5
    unneeded: float = 600.0
    after_add: float = 600.0
    cutoff: int = -10
    scales_down: bool = True
    rules: DrainRules = DrainRules()


def group_of(obj: Manifest) -> NodeGroup:
    """Return the group of a NodeGroup object. Raise ValueError with the path of an invalid field."""
    fields = _mapping(obj, "spec", "")
    template_fields = _mapping(fields, "template", "spec.")
    metadata = _mapping(template_fields, "metadata", "spec.template.")
    template = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            **metadata,
            "name": name(obj),
            "labels": {**_mapping(metadata, "labels", "spec.template.metadata."), GROUP_LABEL: name(obj)},
        },
        "spec": dict(_mapping(template_fields, "spec", "spec.template.")),
        "status": _status(_mapping(template_fields, "status", "spec.template.")),
    }
    most = min(max(_count(fields, "maxSize", 10), 0), _MOST_NODES)
    price = fields.get("price")
    return NodeGroup(
        name(obj),
        template,
        max(_count(fields, "minSize", 0), 0),
        most,
        None if price is None else _amount(price, "spec.price"),
        max(_amount(fields.get("provisionSeconds", 60), "spec.provisionSeconds"), 0.0),
    )


def price_of(obj: Manifest) -> float:
    """Return the price of a Node of the group for an hour, or 0 if it is missing or invalid."""
    try:
        return _amount(_mapping(obj, "spec", "").get("price") or 0, "spec.price")
    except ValueError:
        return 0.0


def _mapping(within: Mapping[str, Any], field: str, path: str) -> Mapping[str, Any]:
    value = within.get(field) or {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{path}{field}: must be a mapping")
    return value


def _count(fields: Mapping[str, Any], field: str, otherwise: int) -> int:
    value = fields.get(field)
    return otherwise if value is None else int(_amount(value, f"spec.{field}"))


def _amount(value: Any, path: str) -> float:
    """Return a finite number, also one that is written as text."""
    try:
        amount = float(value)
    except (TypeError, ValueError, OverflowError):
        amount = math.nan
    if not math.isfinite(amount):
        raise ValueError(f"{path}: must be a number")
    return amount


def _status(given: Mapping[str, Any]) -> dict[str, Any]:
    capacity, allocatable = (_mapping(given, field, "spec.template.status.") for field in ("capacity", "allocatable"))
    return {
        **given,
        "capacity": capacity or allocatable,
        "allocatable": allocatable or capacity,
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
    }


def nodes_of(group: NodeGroup, view: View) -> list[Manifest]:
    return [node for node in view.of_kind("Node") if labels(node).get(GROUP_LABEL) == group.name]


def options_of(obj: Manifest) -> Options:
    """Return the settings of a ClusterAutoscaler object. Raise ValueError with the path of an invalid field."""
    fields, known = _mapping(obj, "spec", ""), Options()
    expanders = [part.strip() for part in str(fields.get("expander", "least-waste")).split(",")]
    for expander in expanders:
        if expander not in EXPANDERS:
            raise ValueError(f"{expander!r} is no expander; there are {', '.join(EXPANDERS)}")
    return Options(
        expanders,
        priorities_of(fields.get("priorities") or {}),
        max(_setting(fields, "scanIntervalSeconds", known.scan), 1.0),
        _setting(fields, "scaleDownUtilizationThreshold", known.threshold),
        max(_setting(fields, "scaleDownUnneededSeconds", known.unneeded), 0.0),
        max(_setting(fields, "scaleDownDelayAfterAddSeconds", known.after_add), 0.0),
        int(_setting(fields, "expendablePodsPriorityCutoff", known.cutoff)),
        bool(fields.get("scaleDownEnabled", True)),
        DrainRules(
            bool(fields.get("skipNodesWithLocalStorage", True)),
            bool(fields.get("skipNodesWithSystemPods", True)),
            bool(fields.get("skipNodesWithCustomControllerPods", True)),
        ),
    )


def scan_seconds(settings: Manifest) -> float:
    """Return the seconds between two scans, or upstream's default if the setting is invalid."""
    try:
        return max(_setting(_mapping(settings, "spec", ""), "scanIntervalSeconds", Options().scan), 1.0)
    except ValueError:
        return Options().scan


def _setting(fields: Mapping[str, Any], field: str, otherwise: float) -> float:
    return _amount(fields.get(field, otherwise), f"spec.{field}")
