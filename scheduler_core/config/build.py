"""The last step of reading a configuration: build extenders, plugins and profiles, with the errors found there.

Source: pkg/scheduler/scheduler.go New, pkg/scheduler/profile/profile.go, pkg/scheduler/extender.go, the plugins' New.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import IgnoresResources
from scheduler_core.config.effective import EffectiveProfile, effective, needed_plugins
from scheduler_core.config.errors import BuildError, BuildPanicError, ConfigError
from scheduler_core.config.rules import ConfigRules, Points
from scheduler_core.config.types import ExtenderConfig, PluginConfig, Profile, SchedulerConfiguration


def build(
    config: SchedulerConfiguration, points: Points | None = None, *, rules: ConfigRules
) -> dict[str, EffectiveProfile]:
    """Return the effective profiles by schedulerName; `points` are the extension points of every registered plugin.

    Raises ConfigError of stage build or panic with the first problem, where upstream stops.
    """
    points = rules.points if points is None else points
    _check_extenders(config)
    config = with_extender_resources(config)
    profiles: dict[str, EffectiveProfile] = {}
    for index, profile in enumerate(config.profiles):
        try:
            effective_profile = build_profile(profile, points, rules)
        except BuildError as error:
            raise _profile_failure(error, profile, index) from None
        _check_same_queue_sort(config, index, effective_profile, profiles)
        profiles[profile.scheduler_name] = effective_profile
    return profiles


def with_extender_resources(config: SchedulerConfiguration) -> SchedulerConfiguration:
    """Return the configuration in which NodeResourcesFit ignores the resources that extenders manage.

    They replace the ignored resources of its own args. Raises ConfigError for a profile without NodeResourcesFit's
    args. Source: pkg/scheduler/scheduler.go buildExtenders.
    """
    managed = (resource for extender in config.extenders for resource in extender.managed_resources)
    ignored = tuple(resource.name for resource in managed if resource.ignored_by_scheduler)
    if not ignored:
        return config
    profiles = []
    for index, profile in enumerate(config.profiles):
        if not isinstance(profile.plugin_args.get("NodeResourcesFit"), IgnoresResources):
            message = "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config"
            hint = say("an extender's ignoredByScheduler needs NodeResourcesFit in every profile")
            raise _failure(message, f"profiles[{index}].pluginConfig", hint)
        entries = tuple(_with_ignored(entry, ignored) for entry in profile.plugin_config)
        profiles.append(replace(profile, plugin_config=entries))
    return replace(config, profiles=tuple(profiles))


def _with_ignored(entry: PluginConfig, ignored: tuple[str, ...]) -> PluginConfig:
    if not isinstance(entry.args, IgnoresResources):
        return entry
    args: Any = entry.args  # every IgnoresResources is a dataclass
    return replace(entry, args=replace(args, ignored_resources=ignored))


def _check_extenders(config: SchedulerConfiguration) -> None:
    for index, extender in enumerate(config.extenders):
        if _pins_and_trusts_all(extender):
            message = "specifying a root certificates file with the insecure flag is not allowed"
            raise _failure(f"couldn't build extenders: {message}", f"extenders[{index}].tlsConfig")


def _pins_and_trusts_all(extender: ExtenderConfig) -> bool:
    tls = extender.tls_config
    return tls is not None and tls.insecure and bool(tls.ca_file or tls.ca_data)


def build_profile(profile: Profile, points: Points, rules: ConfigRules) -> EffectiveProfile:
    """Return one effective profile. Raises BuildError with the first problem that upstream finds."""
    for error in plugin_errors(profile, points, rules):
        raise error
    return effective(profile, points, rules.expansion)


def plugin_errors(profile: Profile, points: Points, rules: ConfigRules) -> Iterator[BuildError]:
    """Return the errors of plugins that can't be built with their args."""
    indices = {entry.name: index for index, entry in enumerate(profile.plugin_config)}
    for name in needed_plugins(profile, points):
        try:
            if name in rules.plugin_args:
                rules.plugin_args[name].build(profile.plugin_args.get(name))
        except BuildError as error:
            where = f"pluginConfig[{indices[name]}].args" if name in indices else "pluginConfig"
            path = f"{where}.{error.path}" if error.path else where
            if isinstance(error, BuildPanicError):
                yield BuildPanicError(path, error.hint)
            else:
                yield BuildError(f'initializing plugin "{name}": {error}', path, error.hint)


def _profile_failure(error: BuildError, profile: Profile, index: int) -> ConfigError:
    path = f"profiles[{index}].{error.path}"
    text = f"initializing profiles: creating profile for scheduler name {profile.scheduler_name}: {error}"
    return _failure(str(error) if isinstance(error, BuildPanicError) else text, path, error.hint, error.stage)


def _check_same_queue_sort(
    config: SchedulerConfiguration, index: int, built: EffectiveProfile, others: Mapping[str, EffectiveProfile]
) -> None:
    """Raise ConfigError if profiles sort the queue differently. Source: profile.go cfgValidator."""
    if not others:
        return
    first, profile = config.profiles[0], config.profiles[index]
    wanted = others[first.scheduler_name].plugins_at("queueSort")[0].name
    name = built.plugins_at("queueSort")[0].name
    path = f"profiles[{index}].plugins.queueSort"
    if name != wanted:
        shown = f'for profile "{profile.scheduler_name}": "{name}", first: "{wanted}"'
        raise _failure(f"initializing profiles: different queue sort plugins {shown}", path)
    if profile.plugin_args.get(name) != first.plugin_args.get(name):
        shown = f'for profile "{profile.scheduler_name}"'
        raise _failure(f"initializing profiles: different queue sort plugin args {shown}", path)


def _failure(text: str, path: str, hint: str = "", stage: str = "build") -> ConfigError:
    return ConfigError(stage, [Problem(path, None, text, hint, text=text)])
