"""Predicates and priorities, and the plugins that replaced them, one row each.

Source (v1.20): pkg/scheduler/framework/plugins/legacy_registry.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate's plugins at Filter; those in `pre_filter` run at PreFilter, too."""

    plugins: tuple[str, ...]
    pre_filter: tuple[str, ...] = ()


# In the order in which predicates ran, whatever the order of the Policy. An argument makes a predicate of any name one
# of the two that take arguments.
PREDICATES: Mapping[str, Predicate] = {
    "CheckNodeUnschedulable": Predicate(("NodeUnschedulable",)),
    "GeneralPredicates": Predicate(
        ("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"), ("NodeResourcesFit", "NodePorts")
    ),
    "HostName": Predicate(("NodeName",)),
    "PodFitsHostPorts": Predicate(("NodePorts",), ("NodePorts",)),
    "MatchNodeSelector": Predicate(("NodeAffinity",)),
    "PodFitsResources": Predicate(("NodeResourcesFit",), ("NodeResourcesFit",)),
    "NoDiskConflict": Predicate(("VolumeRestrictions",)),
    "PodToleratesNodeTaints": Predicate(("TaintToleration",)),
    "CheckNodeLabelPresence": Predicate(("NodeLabel",)),
    "CheckServiceAffinity": Predicate(("ServiceAffinity",), ("ServiceAffinity",)),
    "MaxEBSVolumeCount": Predicate(("EBSLimits",)),
    "MaxGCEPDVolumeCount": Predicate(("GCEPDLimits",)),
    "MaxCSIVolumeCountPred": Predicate(("NodeVolumeLimits",)),
    "MaxAzureDiskVolumeCount": Predicate(("AzureDiskLimits",)),
    "MaxCinderVolumeCount": Predicate(("CinderLimits",)),
    "CheckVolumeBinding": Predicate(("VolumeBinding",), ("VolumeBinding",)),
    "NoVolumeZoneConflict": Predicate(("VolumeZone",)),
    "EvenPodsSpread": Predicate(("PodTopologySpread",), ("PodTopologySpread",)),
    "MatchInterPodAffinity": Predicate(("InterPodAffinity",), ("InterPodAffinity",)),
}
PREDICATE_ALIASES: Mapping[str, str] = {"PodFitsPorts": "PodFitsHostPorts"}
MANDATORY_PREDICATES = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")
DEFAULT_PREDICATES = (
    "CheckNodeUnschedulable",
    "GeneralPredicates",
    "NoDiskConflict",
    "PodToleratesNodeTaints",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxCSIVolumeCountPred",
    "MaxAzureDiskVolumeCount",
    "CheckVolumeBinding",
    "NoVolumeZoneConflict",
    "EvenPodsSpread",
    "MatchInterPodAffinity",
)
LABELS_PRESENCE, SERVICE_AFFINITY = "CheckNodeLabelPresence", "CheckServiceAffinity"
# This one was bound and reserved, too.
VOLUME_BINDING = "CheckVolumeBinding"


@dataclass(frozen=True, slots=True)
class Priority:
    """A priority's plugin at Score, and `pre_score` if it has PreScore.

    `weight` is its default, 0 if it isn't a default.
    """

    plugin: str
    weight: int = 0
    pre_score: bool = False


# By the key of the registry, which is what they ran in the order of. The last three are what priorities of any name
# become by their argument.
PRIORITIES: Mapping[str, Priority] = {
    "BalancedResourceAllocation": Priority("NodeResourcesBalancedAllocation", 1),
    "EvenPodsSpreadPriority": Priority("PodTopologySpread", 2, pre_score=True),
    "ImageLocalityPriority": Priority("ImageLocality", 1),
    "InterPodAffinityPriority": Priority("InterPodAffinity", 1, pre_score=True),
    "LeastRequestedPriority": Priority("NodeResourcesLeastAllocated", 1),
    "MostRequestedPriority": Priority("NodeResourcesMostAllocated"),
    "NodeAffinityPriority": Priority("NodeAffinity", 1),
    "NodePreferAvoidPodsPriority": Priority("NodePreferAvoidPods", 10000),
    "SelectorSpreadPriority": Priority("SelectorSpread", 1, pre_score=True),
    "TaintTolerationPriority": Priority("TaintToleration", 1, pre_score=True),
    "NodeLabel": Priority("NodeLabel"),
    "RequestedToCapacityRatio": Priority("RequestedToCapacityRatio"),
    "ServiceAffinity": Priority("ServiceAffinity"),
}
PRIORITY_ALIASES: Mapping[str, str] = {"ServiceSpreadingPriority": "SelectorSpreadPriority"}
DEFAULT_PRIORITIES: Mapping[str, int] = {key: row.weight for key, row in PRIORITIES.items() if row.weight}
EQUAL_PRIORITY = "EqualPriority"
SPREAD = ("EvenPodsSpreadPriority", "SelectorSpreadPriority")
