"""The feature gates and default plugins of v1.20.2.

Source (v1.20): pkg/features/kube_features.go, pkg/scheduler/algorithmprovider/registry.go.
"""

from collections.abc import Mapping

from scheduler_core.config.types import PluginRef

VERSION = "v1.20.2"

DEFAULT_PROVIDER, AUTOSCALER_PROVIDER = "DefaultProvider", "ClusterAutoscalerProvider"
PROVIDERS = (DEFAULT_PROVIDER, AUTOSCALER_PROVIDER)

SPREAD_GATE = "DefaultPodTopologySpread"
Gates = Mapping[str, bool]

# Extension point → plugins in the order in which they run, with their weights at score.
PluginLists = dict[str, tuple[PluginRef, ...]]

# The extension points of v1beta1, in upstream's order of checks.
POINTS = (
    "preFilter",
    "filter",
    "postFilter",
    "reserve",
    "preScore",
    "score",
    "preBind",
    "bind",
    "postBind",
    "permit",
    "queueSort",
)

_DEFAULTS = {
    "queueSort": "PrioritySort",
    "preFilter": "NodeResourcesFit NodePorts PodTopologySpread InterPodAffinity VolumeBinding",
    "filter": (
        "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions "
        "EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits VolumeBinding VolumeZone PodTopologySpread "
        "InterPodAffinity"
    ),
    "postFilter": "DefaultPreemption",
    "preScore": "InterPodAffinity PodTopologySpread TaintToleration",
    "reserve": "VolumeBinding",
    "preBind": "VolumeBinding",
    "bind": "DefaultBinder",
}
_LEAST, _MOST = "NodeResourcesLeastAllocated", "NodeResourcesMostAllocated"
_SCORES = (
    ("NodeResourcesBalancedAllocation", 1),
    ("ImageLocality", 1),
    ("InterPodAffinity", 1),
    (_LEAST, 1),
    ("NodeAffinity", 1),
    ("NodePreferAvoidPods", 10000),
    ("PodTopologySpread", 2),
    ("TaintToleration", 1),
)


def spreads_by_default(gates: Gates) -> bool:
    """Return True if PodTopologySpread replaces SelectorSpread."""
    return gates.get(SPREAD_GATE, True)


def provider_plugins(provider: str, gates: Gates) -> PluginLists:
    """Return the plugins of an algorithm provider, one of PROVIDERS."""
    lists = {
        point: tuple(PluginRef(name, default=True) for name in _DEFAULTS.get(point, "").split()) for point in POINTS
    }
    swap = {_LEAST: _MOST} if provider == AUTOSCALER_PROVIDER else {}
    lists["score"] = tuple(PluginRef(swap.get(name, name), weight, default=True) for name, weight in _SCORES)
    if not spreads_by_default(gates):
        lists["preScore"] += (PluginRef("SelectorSpread", default=True),)
        lists["score"] += (PluginRef("SelectorSpread", 1, default=True),)
    return lists
