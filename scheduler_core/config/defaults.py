"""Defaulting: complete decoded values with upstream's defaults.

Source: pkg/scheduler/apis/config/v1/defaults.go, component-base/config/v1alpha1/defaults.go.
"""

import dataclasses
import functools
from typing import Any, TypeVar

from scheduler_core.config.default_plugins import merge_plugins
from scheduler_core.config.fields import GoType, wire_fields
from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import (
    DEFAULT_SCHEDULER_NAME,
    PluginConfig,
    Plugins,
    Profile,
    SchedulerConfiguration,
)

T = TypeVar("T")


def complete(values: dict[str, Any], rules: ConfigRules) -> SchedulerConfiguration:
    """Return the configuration for decoded values, in which plugin args have their types already."""
    profiles = values.get("profiles") or [{}]
    if len(profiles) == 1:
        # With several profiles each needs its own name, which validation checks.
        profiles = [{"schedulerName": DEFAULT_SCHEDULER_NAME, **profiles[0]}]
    profiling = values.get("enableProfiling", True)
    values = {"enableContentionProfiling": profiling, **values, "profiles": profiles}
    config = construct(rules.configuration, values)
    profiles = tuple(_complete_profile(profile, rules) for profile in config.profiles)
    return dataclasses.replace(config, profiles=profiles)


@functools.cache
def default_configuration(rules: ConfigRules) -> SchedulerConfiguration:
    """Return the configuration that kube-scheduler uses without a file."""
    return complete({}, rules)


def _complete_profile(profile: Profile, rules: ConfigRules) -> Profile:
    plugins = merge_plugins(profile.plugins, rules.multi_point)
    configured = {entry.name for entry in profile.plugin_config}
    added = [
        PluginConfig(name, rules.args[name]())
        for name in sorted(enabled_names(plugins))
        if name in rules.args and name not in configured
    ]
    return dataclasses.replace(profile, plugins=plugins, plugin_config=(*profile.plugin_config, *added))


def enabled_names(plugins: Plugins) -> set[str]:
    """Return the plugins that are enabled at any point; all of these are built."""
    return {plugin.name for _, plugin_set in plugins.items() for plugin in plugin_set.enabled}


def construct(cls: type[T], values: dict[str, Any]) -> T:
    """Return a dataclass from decoded values by JSON name; missing fields take their defaults."""
    fields = {
        field.attribute: _typed(values[field.json], field.type)
        for field in wire_fields(cls)
        if field.json in values and not (field.zero_unset and not values[field.json])
    }
    return cls(**fields)


def _typed(value: Any, kind: GoType) -> Any:
    if kind.struct is not None and kind.kind == "struct":
        return construct(kind.struct, value)
    if kind.element is not None and kind.kind == "slice":
        return tuple(_typed(item, kind.element) for item in value)
    return value
