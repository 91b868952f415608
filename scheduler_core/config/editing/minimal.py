"""The smallest configuration that means the same: only what differs from the defaults."""

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
    Extender,
    PluginConfig,
    PluginRef,
    Plugins,
    PluginSet,
    Profile,
    SchedulerConfiguration,
)


def minimal_yaml(config: SchedulerConfiguration, rules: ConfigRules) -> str:
    """A file that kube-scheduler accepts, and that means the same as `config`."""
    return dump_yaml(minimal_dict(config, rules))


def minimal_dict(config: SchedulerConfiguration, rules: ConfigRules) -> dict[str, Any]:
    """The same in v1 JSON form."""
    given = _differing(config, SchedulerConfiguration())
    # Its default is the other one's value.
    if config.enable_contention_profiling == config.enable_profiling:
        given.pop("enableContentionProfiling", None)
    else:
        given["enableContentionProfiling"] = config.enable_contention_profiling
    given.pop("profiles", None)
    profiles = [_profile(profile, rules) for profile in config.profiles]
    if len(profiles) == 1 and profiles[0].get("schedulerName") == DEFAULT_SCHEDULER_NAME:
        del profiles[0]["schedulerName"]
    if profiles != [{}]:
        given["profiles"] = profiles
    if config.extenders:
        given["extenders"] = [_differing(extender, Extender()) for extender in config.extenders]
    return {"apiVersion": API_VERSION, "kind": KIND, **given}


def _differing(value: Any, defaults: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not as in `defaults`, by JSON name; what is inside them likewise."""
    encoded = encode_fields(value)
    result = {}
    for field in wire_fields(type(value)):
        given = getattr(value, field.attribute)
        if given == getattr(defaults, field.attribute) or field.json not in encoded:
            continue
        # What a struct that is given leaves out takes the default of its own field.
        inner = dataclasses.is_dataclass(given) and field.type.kind == "struct"
        result[field.json] = _differing(given, type(given)()) if inner else encoded[field.json]
    return result


def _profile(profile: Profile, rules: ConfigRules) -> dict[str, Any]:
    result: dict[str, Any] = {"schedulerName": profile.scheduler_name} if profile.scheduler_name else {}
    if profile.percentage_of_nodes_to_score is not None:
        result["percentageOfNodesToScore"] = profile.percentage_of_nodes_to_score
    plugins = _plugins(profile.plugins, rules)
    if plugins:
        result["plugins"] = plugins
    entries = [entry for given in profile.plugin_config if (entry := _plugin_config(given, rules))]
    if entries:
        result["pluginConfig"] = entries
    return result


def _plugins(plugins: Plugins, rules: ConfigRules) -> dict[str, Any]:
    """Only `multiPoint` has defaults merged into it."""
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
    """None for args that are all defaults."""
    if entry.args is None:
        return {"name": entry.name}
    if isinstance(entry.args, RawArgs):
        return {"name": entry.name, "args": entry.args.value}
    args = _differing(entry.args, rules.args[entry.name]())
    return {"name": entry.name, "args": args} if args else None
