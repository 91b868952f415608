"""The default plugins, and the merge of a profile's own plugin sets into them.

Source: pkg/scheduler/apis/config/v1/default_plugins.go, with the feature gates of v1.34.1 at their defaults.
"""

from scheduler_core.config.types import PluginRef, Plugins, PluginSet

DEFAULT_MULTI_POINT = PluginSet(
    enabled=tuple(
        PluginRef(name, weight, default=True)
        for name, weight in (
            ("SchedulingGates", 0),
            ("PrioritySort", 0),
            ("NodeUnschedulable", 0),
            ("NodeName", 0),
            ("TaintToleration", 3),
            ("NodeAffinity", 2),
            ("NodePorts", 0),
            ("NodeResourcesFit", 1),
            ("VolumeRestrictions", 0),
            ("NodeVolumeLimits", 0),
            ("VolumeBinding", 0),
            ("VolumeZone", 0),
            ("PodTopologySpread", 2),
            ("InterPodAffinity", 2),
            # Before DefaultPreemption: freeing an idle claim is better than evicting a pod.
            ("DynamicResources", 0),
            ("DefaultPreemption", 0),
            ("NodeResourcesBalancedAllocation", 1),
            ("ImageLocality", 1),
            ("DefaultBinder", 0),
        )
    )
)


def merge_plugins(custom: Plugins, multi_point: PluginSet) -> Plugins:
    """Return the profile's plugin sets merged with the defaults; only `multiPoint` has defaults."""
    merged = {
        attribute: merge_plugin_set(PluginSet(), getattr(custom, attribute))
        for attribute in custom.__dataclass_fields__
        if attribute != "multi_point"
    }
    return type(custom)(**merged, multi_point=merge_plugin_set(multi_point, custom.multi_point))


def merge_plugin_set(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """Merge a plugin set: defaults that aren't disabled keep their order, reconfigured ones their position; others
    follow.

    A plugin that is enabled twice stays twice, because building the profile reports it.
    """
    disabled = {plugin.name for plugin in custom.disabled}
    own = {plugin.name: index for index, plugin in enumerate(custom.enabled)}
    enabled = []
    replaced = set()
    for plugin in () if "*" in disabled else defaults.enabled:
        if plugin.name in disabled:
            continue
        if plugin.name in own:
            replaced.add(own[plugin.name])
            enabled.append(custom.enabled[own[plugin.name]])
        else:
            enabled.append(plugin)
    enabled += [plugin for index, plugin in enumerate(custom.enabled) if index not in replaced]
    return PluginSet(tuple(enabled), tuple(PluginRef(plugin.name) for plugin in custom.disabled))
