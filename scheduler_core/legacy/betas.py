"""Decoding of v1beta2 and v1beta3, the configurations of v1.22 to v1.28.

Source (v1.25): kube-scheduler/config/v1beta2 and v1beta3 types.go, apis/config/v1beta2/default_plugins.go.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from kube_objects.text.node import TextNode
from scheduler_core.config.default_plugins import merge_plugin_set
from scheduler_core.config.defaults import construct
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.fields import wire
from scheduler_core.config.load import Codec, FatalError
from scheduler_core.config.types import GROUP, KIND, PluginRef, Plugins, PluginSet, SchedulerConfiguration
from scheduler_core.legacy.versions import DEFAULT_PROVIDER, POINTS, provider_plugins
from scheduler_core.releases import IN_TREE_POINTS, V1_34

V1BETA2, V1BETA3 = "v1beta2", "v1beta3"

_PRE_FILTERS = (
    "NodeResourcesFit NodePorts VolumeRestrictions PodTopologySpread InterPodAffinity VolumeBinding NodeAffinity"
)
_PRE_SCORES = "InterPodAffinity PodTopologySpread TaintToleration NodeAffinity"
_SCORES = {
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
    "InterPodAffinity": 1,
    "NodeResourcesFit": 1,
    "NodeAffinity": 1,
    "PodTopologySpread": 2,
    "TaintToleration": 1,
}
# Extension points of the plugins of that time.
_GONE_POINTS = {
    "SelectorSpread": ("preScore", "score"),
    **dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits"), ("filter",)),
}


@dataclass(frozen=True, slots=True)
class _V1Beta2Configuration(SchedulerConfiguration):
    healthz_bind_address: str = field(default="", metadata=wire("*string"))
    metrics_bind_address: str = field(default="", metadata=wire("*string"))


_TYPES = {V1BETA2: _V1Beta2Configuration, V1BETA3: SchedulerConfiguration}


def decode(text: str, version: str) -> tuple[TextNode, dict[str, Any]]:
    """Return the parsed text, and its fields by JSON name with typed args. Raises ConfigError of stage decode."""
    scheme = replace(V1_34.scheme, kinds={(GROUP, version, KIND): _TYPES[version]}, version=version)
    try:
        return Codec(text, scheme).decode(KIND)
    except FatalError as fatal:
        raise ConfigError("decode", [fatal.problem]) from None


def v1beta2_lists(plugin_sets: dict[str, Any]) -> tuple[dict[str, tuple[PluginRef, ...]], list[PluginRef]]:
    """Return a profile's plugins by extension point for its `plugins`, and those that multiPoint enables."""
    custom = construct(Plugins, plugin_sets)
    defaults = provider_plugins(DEFAULT_PROVIDER, {})
    defaults["preFilter"] = tuple(PluginRef(name, default=True) for name in _PRE_FILTERS.split())
    defaults["preScore"] = tuple(PluginRef(name, default=True) for name in _PRE_SCORES.split())
    defaults["score"] = tuple(PluginRef(name, weight, default=True) for name, weight in _SCORES.items())
    lists = {point: merge_plugin_set(PluginSet(defaults[point]), custom.set_at(point)).enabled for point in POINTS}
    elsewhere = []
    for plugin in custom.multi_point.enabled:
        points = _GONE_POINTS.get(plugin.name) or IN_TREE_POINTS.get(plugin.name)
        if points is None:
            elsewhere.append(plugin)
        for point in points or ():
            names = {"*", plugin.name}
            there = any(p.name == plugin.name for p in lists.get(point, ()))
            if point in lists and not there and not names & {p.name for p in custom.set_at(point).disabled}:
                lists[point] = (*lists[point], plugin)
    return lists, elsewhere
