"""Build what v1.20.2 runs from an algorithm provider, a Policy, a v1beta1 configuration, or nothing.

Source (v1.20): cmd/kube-scheduler/app/options, pkg/scheduler/scheduler.go New, pkg/scheduler/factory.go,
pkg/scheduler/profile/profile.go, pkg/scheduler/framework/runtime/framework.go NewFramework.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from kube_objects.sentences import say
from kube_objects.text.go import quote
from kube_objects.text.hints import did_you_mean
from kube_objects.text.problems import Problem
from scheduler_core.config import out_of_tree
from scheduler_core.config.effective import DEFAULT, EXPLICIT, EffectivePlugin, EffectiveProfile, interface
from scheduler_core.config.errors import BuildError, ConfigError
from scheduler_core.config.types import (
    EXTENSION_POINTS,
    KIND,
    ExtenderConfig,
    PluginArgs,
    PluginConfig,
    PluginRef,
    Plugins,
    PluginSet,
    Profile,
    SchedulerConfiguration,
)
from scheduler_core.legacy import v1beta1
from scheduler_core.legacy.args import ARGS_TYPES, NodeResourcesFitArgs
from scheduler_core.legacy.check_args import PLUGIN_CHECKS
from scheduler_core.legacy.plugins.table import LEGACY_IN_TREE
from scheduler_core.legacy.policy import policy_file as policy_file
from scheduler_core.legacy.policy.plugins import convert_policy
from scheduler_core.legacy.v1beta1 import set_defaulting_type
from scheduler_core.legacy.versions import DEFAULT_PROVIDER, POINTS, PROVIDERS, Gates, PluginLists, provider_plugins

Points = Mapping[str, frozenset[str]]

_NO_CONFIG = f"apiVersion: {v1beta1.API_VERSION}\nkind: {KIND}\n"
_BOTH = "cannot set a Plugin config and Policy config"
_MAX_TOTAL_SCORE = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Source:
    """The program's options: `--algorithm-provider`, and the texts of `--policy-config-file` and `--config`."""

    provider: str | None = None
    policy: str | None = None
    config: str | None = None
    gates: Gates = field(default_factory=dict)


@dataclass(slots=True)
class BuildResult:
    """The result: `profiles` by schedulerName; `config` has the merged plugin sets and all plugin args."""

    config: SchedulerConfiguration
    profiles: dict[str, EffectiveProfile]
    always_check_all_predicates: bool = False


def build(source: Source, points: Points | None = None) -> BuildResult:
    """Build the profiles.

    Raises ConfigError of stage decode, validate, build, or fatal and panic if v1.20.2 exits or crashes. `points` are
    the extension points of every registered plugin; the default is those of v1.20.2.
    """
    points = LEGACY_IN_TREE.points() if points is None else points
    document = v1beta1.decode(source.config or _NO_CONFIG, source.gates)
    problems = v1beta1.validate(document)
    if problems:
        raise ConfigError("validate", problems)
    if source.policy is not None:
        return _build_from_policy(source.policy, document, source.gates, points)
    return _build_from_provider(source.provider or DEFAULT_PROVIDER, document.config, source.gates, points)


def _build_from_provider(provider: str, config: SchedulerConfiguration, gates: Gates, points: Points) -> BuildResult:
    prefix = f"couldn't create scheduler using provider {quote(provider)}: "
    if provider not in PROVIDERS:
        text = f"{prefix}algorithm provider {quote(provider)} is not registered"
        raise ConfigError(
            "build", [Problem("algorithmProvider", None, text, did_you_mean(provider, PROVIDERS), text=text)]
        )
    defaults = provider_plugins(provider, gates)
    profiles = tuple(
        dataclasses.replace(profile, plugins=_plugin_sets(_merge_plugins(defaults, profile.plugins)))
        for profile in config.profiles
    )
    config = dataclasses.replace(config, profiles=_add_ignored_resources(profiles, config.extenders))
    return _finish_profiles(config, gates, points, prefix)


def _merge_plugins(defaults: PluginLists, custom: Plugins) -> PluginLists:
    """Return the defaults that aren't disabled, then all enabled plugins; one may be listed twice.

    Source: Plugins.Apply.
    """
    merged: PluginLists = {}
    for point in POINTS:
        disabled = {plugin.name for plugin in custom.set_at(point).disabled}
        enabled = () if "*" in disabled else tuple(p for p in defaults[point] if p.name not in disabled)
        merged[point] = (*enabled, *custom.set_at(point).enabled)
    return merged


def _build_from_policy(text: str, document: v1beta1.V1beta1Document, gates: Gates, points: Points) -> BuildResult:
    if document.sets_plugins:
        hint = say("leave plugins and pluginConfig out of the configuration, or do without the Policy")
        raise ConfigError("build", [Problem("policy", None, _BOTH, hint, text=_BOTH)])
    config = document.config
    policy, extenders, _ = policy_file.decode(text)
    policy_file.validate(policy, extenders)
    made = convert_policy(policy, gates)
    entries = tuple(PluginConfig(name, cast(PluginArgs, args)) for name, args in made.args.items())
    profiles = tuple(
        dataclasses.replace(
            profile,
            plugins=_plugin_sets(made.lists),
            plugin_config=entries,
            all_filters=policy.always_check_all_predicates,
        )
        for profile in config.profiles
    )
    config = dataclasses.replace(config, profiles=_add_ignored_resources(profiles, extenders), extenders=extenders)
    built = _finish_profiles(config, gates, points, "couldn't create scheduler from policy: ")
    built.always_check_all_predicates = policy.always_check_all_predicates
    return built


def _add_ignored_resources(profiles: tuple[Profile, ...], extenders: tuple[ExtenderConfig, ...]) -> tuple[Profile, ...]:
    """Return the profiles with the resources that extenders ignore added to NodeResourcesFit's args."""
    managed = (resource for extender in extenders for resource in extender.managed_resources)
    ignored = tuple(resource.name for resource in managed if resource.ignored_by_scheduler)
    if not ignored:
        return profiles
    entry = PluginConfig("NodeResourcesFit", cast(PluginArgs, NodeResourcesFitArgs(ignored)))
    return tuple(dataclasses.replace(p, plugin_config=(*p.plugin_config, entry)) for p in profiles)


def _plugin_sets(lists: PluginLists) -> Plugins:
    names = {point: _point_attribute(point) for point in POINTS}
    return Plugins(**{names[point]: PluginSet(plugins) for point, plugins in lists.items()})


def _point_attribute(point: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in point)


def _finish_profiles(config: SchedulerConfiguration, gates: Gates, points: Points, prefix: str) -> BuildResult:
    effective: dict[str, EffectiveProfile] = {}
    profiles: list[Profile] = []
    for index, profile in enumerate(config.profiles):
        _check_queue_sort(config.profiles[0], profile, index, f"{prefix}initializing profiles: ")
        try:
            complete = _complete_args(profile, gates, points)
            effective[profile.scheduler_name] = expand(complete, points)
        except BuildError as error:
            where = f"creating profile for scheduler name {profile.scheduler_name}"
            text = f"{prefix}initializing profiles: {where}: {error}"
            raise ConfigError(
                "build", [Problem(f"profiles[{index}].{error.path}", None, text, error.hint, text=text)]
            ) from None
        profiles.append(complete)
    return BuildResult(dataclasses.replace(config, profiles=tuple(profiles)), effective)


def _complete_args(profile: Profile, gates: Gates, points: Points) -> Profile:
    """Return the profile with validated args for every plugin in use that has args."""
    args_by_plugin: dict[str, Any] = {}
    for entry in profile.plugin_config:
        if entry.name in args_by_plugin:
            raise BuildError(f"repeated config for plugin {entry.name}", "pluginConfig")
        args_by_plugin[entry.name] = entry.args
    for name in _needed_plugins(profile, points):
        if name in ARGS_TYPES:
            args_by_plugin.setdefault(name, set_defaulting_type(ARGS_TYPES[name](), gates))
        if name in PLUGIN_CHECKS:
            problem = PLUGIN_CHECKS[name](args_by_plugin[name])
            if problem:
                raise BuildError(f"initializing plugin {quote(name)}: {problem}", f"pluginConfig.{name}")
    entries = tuple(PluginConfig(name, args) for name, args in args_by_plugin.items())
    return dataclasses.replace(profile, plugin_config=entries)


def _needed_plugins(profile: Profile, points: Points) -> tuple[str, ...]:
    enabled = {plugin.name for _, plugin_set in profile.plugins.items() for plugin in plugin_set.enabled}
    return tuple(name for name in points if name in enabled)


def expand(profile: Profile, points: Points) -> EffectiveProfile:
    """Expand a profile with merged plugin sets. Raises BuildError. Source: NewFramework."""
    weights = _weights(profile, points)
    lists: dict[str, tuple[PluginRef, ...]] = dict.fromkeys(EXTENSION_POINTS, ())
    for point in POINTS:
        lists[point] = profile.plugins.set_at(point).enabled
        _check_list(point, lists[point], points)
    if not lists["bind"]:
        raise BuildError("at least one bind plugin is needed", "plugins.bind")
    located = {
        point: tuple(
            EffectivePlugin(p.name, weights[p.name] if point == "score" else 0, DEFAULT if p.default else EXPLICIT)
            for p in plugins
        )
        for point, plugins in lists.items()
    }
    return EffectiveProfile(profile.scheduler_name, located, _needed_plugins(profile, points))


def _weights(profile: Profile, points: Points) -> dict[str, int]:
    """Return the weights: 0 means 1, and the last of several entries of a plugin counts, at any point."""
    last = {plugin.name: plugin.weight for point in POINTS for plugin in profile.plugins.set_at(point).enabled}
    weights, total = {}, 0
    for name in _needed_plugins(profile, points):
        weights[name] = last[name] or 1
        if total < 0 or weights[name] * 100 > _MAX_TOTAL_SCORE - total:
            raise BuildError("total score of Score plugins could overflow", "plugins.score")
        total += weights[name] * 100
    return weights


def _check_list(point: str, plugins: tuple[PluginRef, ...], points: Points) -> None:
    kind, seen = interface(point), set()
    for index, plugin in enumerate(plugins):
        path = f"plugins.{point}.enabled[{index}]"
        if plugin.name not in points:
            text = f"{kind} {quote(plugin.name)} does not exist"
            raise BuildError(text, path, out_of_tree.hint(plugin.name) or did_you_mean(plugin.name, points))
        if point not in points[plugin.name]:
            offered = ", ".join(sorted(points[plugin.name])) or "none"
            text = f"plugin {quote(plugin.name)} does not extend {kind} plugin"
            raise BuildError(text, path, say("its extension points: {points}", points=offered))
        if plugin.name in seen:
            text = f"plugin {quote(plugin.name)} already registered as {quote(kind)}"
            raise BuildError(text, path, say("disable the default entry before enabling it with another weight"))
        seen.add(plugin.name)


def _check_queue_sort(first: Profile, profile: Profile, index: int, prefix: str) -> None:
    """Check that all profiles sort the queue alike, before a profile is built. Source: profile.go cfgValidator."""
    path = f"profiles[{index}].plugins.queueSort"
    enabled, name = profile.plugins.queue_sort.enabled, quote(profile.scheduler_name)
    if len(enabled) != 1:
        hint = say("disable the default PrioritySort before enabling another one")
        raise _build_error(f"{prefix}one queue sort plugin required for profile with scheduler name {name}", path, hint)
    plugin, wanted = enabled[0].name, first.plugins.queue_sort.enabled[0].name
    if plugin != wanted:
        shown = f"for profile {name}: {quote(plugin)}, first: {quote(wanted)}"
        raise _build_error(f"{prefix}different queue sort plugins {shown}", path)
    if profile.plugin_args.get(plugin) != first.plugin_args.get(plugin):
        raise _build_error(
            f"{prefix}different queue sort plugin args for profile {name}", f"profiles[{index}].pluginConfig"
        )


def _build_error(text: str, path: str, hint: str = "") -> ConfigError:
    return ConfigError("build", [Problem(path, None, text, hint, text=text)])
