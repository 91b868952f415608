"""The smallest equivalent configuration: only what differs from the defaults."""

import dataclasses
from typing import Any

from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.encode import encode_fields
from scheduler_core.config.fields import wire_fields
from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import (
    API_VERSION,
    DEFAULT_SCHEDULER_NAME,
    KIND,
    ExtenderConfig,
    PluginConfig,
    PluginRef,
    Plugins,
    PluginSet,
    Profile,
    SchedulerConfiguration,
)


def minimal_yaml(config: SchedulerConfiguration, rules: ConfigRules) -> str:
    """Return a file that kube-scheduler accepts and that is equivalent to `config`."""
    return dump_yaml(minimal_dict(config, rules))


def minimal_dict(config: SchedulerConfiguration, rules: ConfigRules) -> dict[str, Any]:
    """Return the smallest equivalent configuration as v1 JSON data."""
    fields = _differing(config, SchedulerConfiguration())
    # enableContentionProfiling defaults to the value of enableProfiling.
    if config.enable_contention_profiling == config.enable_profiling:
        fields.pop("enableContentionProfiling", None)
    else:
        fields["enableContentionProfiling"] = config.enable_contention_profiling
    fields.pop("profiles", None)
    profiles = [_profile(profile, rules) for profile in config.profiles]
    if len(profiles) == 1 and profiles[0].get("schedulerName") == DEFAULT_SCHEDULER_NAME:
        del profiles[0]["schedulerName"]
    if profiles != [{}]:
        fields["profiles"] = profiles
    if config.extenders:
        fields["extenders"] = [_differing(extender, ExtenderConfig()) for extender in config.extenders]
    return {"apiVersion": API_VERSION, "kind": KIND, **fields}


def _differing(value: Any, defaults: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from `defaults`, by JSON name, recursively."""
    encoded = encode_fields(value)
    result = {}
    for field in wire_fields(type(value)):
        field_value = getattr(value, field.attribute)
        if field_value == getattr(defaults, field.attribute) or field.json not in encoded:
            continue
        # Fields that a given struct leaves out take the defaults of the struct's own type.
        inner = dataclasses.is_dataclass(field_value) and field.type.kind == "struct"
        result[field.json] = _differing(field_value, type(field_value)()) if inner else encoded[field.json]
    return result


def _profile(profile: Profile, rules: ConfigRules) -> dict[str, Any]:
    result: dict[str, Any] = {"schedulerName": profile.scheduler_name} if profile.scheduler_name else {}
    if profile.percentage_of_nodes_to_score is not None:
        result["percentageOfNodesToScore"] = profile.percentage_of_nodes_to_score
    plugins = _plugins(profile.plugins, rules)
    if plugins:
        result["plugins"] = plugins
    entries = [encoded for entry in profile.plugin_config if (encoded := _plugin_config(entry, rules))]
    if entries:
        result["pluginConfig"] = entries
    return result


def _plugins(plugins: Plugins, rules: ConfigRules) -> dict[str, Any]:
    """Return the plugin sets that differ from the defaults; only `multiPoint` has defaults."""
    sets = {}
    for point, plugin_set in plugins.items():
        own = _without_defaults(plugin_set, rules) if point == "multiPoint" else plugin_set
        if own != PluginSet():
            lists = {"enabled": own.enabled, "disabled": own.disabled}
            sets[point] = {name: [_plugin(plugin) for plugin in refs] for name, refs in lists.items() if refs}
    return sets


def _plugin(plugin: PluginRef) -> dict[str, Any]:
    return {"name": plugin.name, "weight": plugin.weight} if plugin.weight else {"name": plugin.name}


def _without_defaults(merged: PluginSet, rules: ConfigRules) -> PluginSet:
    disabled = {plugin.name for plugin in merged.disabled}
    defaults = () if "*" in disabled else rules.multi_point.enabled
    enabled = {plugin.name: plugin.weight for plugin in defaults if plugin.name not in disabled}
    own = (plugin for plugin in merged.enabled if not plugin.default)
    return PluginSet(tuple(plugin for plugin in own if enabled.get(plugin.name) != plugin.weight), merged.disabled)


def _plugin_config(entry: PluginConfig, rules: ConfigRules) -> dict[str, Any] | None:
    """Return the entry, or None if all args are defaults."""
    if entry.args is None:
        return {"name": entry.name}
    if isinstance(entry.args, RawArgs):
        return {"name": entry.name, "args": entry.args.value}
    args = _differing(entry.args, rules.args[entry.name]())
    return {"name": entry.name, "args": args} if args else None
