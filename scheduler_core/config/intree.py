"""The extension points that each in-tree plugin of v1.34.1 implements.

Source: pkg/scheduler/framework/plugins (registry.go for the names, each plugin's methods for the points).
"""

from collections.abc import Mapping

_POINTS = {
    "DefaultBinder": "bind",
    "DefaultPreemption": "preEnqueue postFilter",
    "DynamicResources": "preEnqueue preFilter filter postFilter reserve preBind",
    "ImageLocality": "score",
    "InterPodAffinity": "preFilter filter preScore score",
    "NodeAffinity": "preFilter filter preScore score",
    "NodeName": "filter",
    "NodePorts": "preFilter filter",
    "NodeResourcesBalancedAllocation": "preScore score",
    "NodeResourcesFit": "preFilter filter preScore score",
    "NodeUnschedulable": "filter",
    "NodeVolumeLimits": "preFilter filter",
    "PodTopologySpread": "preFilter filter preScore score",
    "PrioritySort": "queueSort",
    "SchedulingGates": "preEnqueue",
    "TaintToleration": "filter preScore score",
    "VolumeBinding": "preFilter filter preScore score reserve preBind",
    "VolumeRestrictions": "preFilter filter",
    "VolumeZone": "preFilter filter",
}

IN_TREE_POINTS: Mapping[str, frozenset[str]] = {name: frozenset(points.split()) for name, points in _POINTS.items()}
