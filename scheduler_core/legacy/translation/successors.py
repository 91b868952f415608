"""The successors of removed plugins, and of all other settings that later releases removed.

Source: the release notes of v1.22 to v1.32, and the code in their vendored copies.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kube_objects.sentences import say


@dataclass(frozen=True, slots=True)
class Successor:
    """A successor. `plugin` replaces the old one, "" if none does; `removed_in` is the release without the old one."""

    plugin: str
    removed_in: str
    explanation: str


LEAST, MOST, RATIO = "NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"
# Plugins that became a scoring strategy of NodeResourcesFit → its type.
STRATEGIES: Mapping[str, str] = {LEAST: "LeastAllocated", MOST: "MostAllocated", RATIO: "RequestedToCapacityRatio"}

_STRATEGY = say("now a scoring strategy of NodeResourcesFit")
_CLOUD = say("the volumes of in-tree cloud plugins are handled by CSI drivers, whose limit the CSINode tells")

SUCCESSORS: Mapping[str, Successor] = {
    LEAST: Successor("NodeResourcesFit", "v1.23", _STRATEGY),
    MOST: Successor("NodeResourcesFit", "v1.23", _STRATEGY),
    RATIO: Successor("NodeResourcesFit", "v1.23", _STRATEGY),
    "NodeLabel": Successor("NodeAffinity", "v1.23", say("now node affinity that the profile adds to every pod's own")),
    "ServiceAffinity": Successor(
        "",
        "v1.23",
        say("say it in the pods instead: podAffinity keeps a service together, spread constraints take it apart"),
    ),
    "NodePreferAvoidPods": Successor("", "v1.23", say("a taint with effect PreferNoSchedule says the same")),
    "SelectorSpread": Successor("PodTopologySpread", "v1.29", say("now the default constraints of PodTopologySpread")),
    "EBSLimits": Successor("NodeVolumeLimits", "v1.32", _CLOUD),
    "GCEPDLimits": Successor("NodeVolumeLimits", "v1.32", _CLOUD),
    "AzureDiskLimits": Successor("NodeVolumeLimits", "v1.32", _CLOUD),
    "CinderLimits": Successor("NodeVolumeLimits", "v1.32", _CLOUD),
}

# Way to configure the scheduler → the release that removed it.
REMOVED_IN: Mapping[str, str] = {
    "--algorithm-provider": "v1.22",
    "DefaultPodTopologySpread": "v1.26",
    "Policy": "v1.23",
    "v1alpha1": "v1.19",
    "v1alpha2": "v1.19",
    "v1beta1": "v1.23",
    "v1beta2": "v1.28",
    "v1beta3": "v1.29",
    "healthzBindAddress": "v1.28",
    "metricsBindAddress": "v1.28",
}
