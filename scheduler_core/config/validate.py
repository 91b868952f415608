"""Validation of a decoded configuration: upstream's checks in upstream's order.

Source: pkg/scheduler/apis/config/validation/validation.go, component-base/config/validation.
"""

from collections.abc import Iterator

from kube_objects.sentences import say
from kube_objects.text.go import format_duration, quote
from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import IgnoresResources
from scheduler_core.config.encode import internal_json
from scheduler_core.config.field_errors import Shown, as_json, duplicate, invalid, required
from scheduler_core.config.names import is_extended_resource, qualified_name_errors
from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import (
    ClientConnection,
    ExtenderConfig,
    LeaderElection,
    PluginArgs,
    Profile,
    SchedulerConfiguration,
)
from scheduler_core.config.wording import reworded

_REMOVED_PLUGINS = ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits")
_SAME_QUEUE_SORT = "all profiles share one queue, so they must sort it alike"


def validate(config: SchedulerConfiguration, rules: ConfigRules) -> list[Problem]:
    """Return all problems of a configuration; empty if it is valid."""
    return list(_validate(config, rules))


def _validate(config: SchedulerConfiguration, rules: ConfigRules) -> Iterator[Problem]:
    yield from _client_connection(config.client_connection)
    yield from _leader_election(config.leader_election)
    if config.parallelism <= 0:
        yield invalid("parallelism", config.parallelism, "should be an integer value greater than zero")
    if not config.profiles:
        yield required("profiles")
    seen: set[str] = set()
    for index, profile in enumerate(config.profiles):
        path = f"profiles[{index}]"
        yield from _profile(path, profile, config.api_version, rules)
        if profile.scheduler_name in seen:
            # Upstream prints a path object that has nothing to print.
            yield duplicate(f"{path}.schedulerName", Shown("{}"))
        seen.add(profile.scheduler_name)
    yield from _common_queue_sort(config.profiles)
    yield from _percentage("percentageOfNodesToScore", config.percentage_of_nodes_to_score)
    if config.pod_initial_backoff_seconds <= 0:
        yield invalid("podInitialBackoffSeconds", config.pod_initial_backoff_seconds, "must be greater than 0")
    if config.pod_max_backoff_seconds < config.pod_initial_backoff_seconds:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        yield invalid("podMaxBackoffSeconds", config.pod_max_backoff_seconds, detail)
    yield from (reworded(problem, rules.words) for problem in validate_extenders(config.extenders))


def _client_connection(client: ClientConnection) -> Iterator[Problem]:
    if client.burst < 0:
        yield invalid("clientConnection.burst", client.burst, "must be non-negative")


def _leader_election(election: LeaderElection) -> Iterator[Problem]:
    if not election.leader_elect:
        return
    for name, value in (
        ("leaseDuration", election.lease_duration),
        ("renewDeadline", election.renew_deadline),
        ("retryPeriod", election.retry_period),
    ):
        if value <= 0:
            yield invalid(f"leaderElection.{name}", _duration(value), "must be greater than zero")
    if election.lease_duration <= election.renew_deadline:
        duration = _duration(election.renew_deadline)
        yield invalid("leaderElection.leaseDuration", duration, "must be greater than `RenewDeadline`")
    if election.resource_lock != "leases":
        detail = 'resourceLock value must be "leases"'
        yield invalid("leaderElection.resourceLock", election.resource_lock, detail)


def _duration(nanoseconds: int) -> Shown:
    return as_json(format_duration(nanoseconds))


def _percentage(path: str, value: int | None) -> Iterator[Problem]:
    if value is not None and not 0 <= value <= 100:
        yield invalid(path, value, "not in valid range [0-100]")


def _profile(path: str, profile: Profile, api_version: str, rules: ConfigRules) -> Iterator[Problem]:
    if not profile.scheduler_name:
        yield required(f"{path}.schedulerName")
    yield from _percentage(f"{path}.percentageOfNodesToScore", profile.percentage_of_nodes_to_score)
    removed = f'was invalid in version "v1" (KubeSchedulerConfiguration is version {quote(api_version)})'
    for point, plugin_set in profile.plugins.items():
        for index, plugin in enumerate(plugin_set.enabled):
            if plugin.name in _REMOVED_PLUGINS and point != "multiPoint":
                yield invalid(f"{path}.plugins.{point}.enabled[{index}]", plugin.name, removed)
    seen = set()
    for index, entry in enumerate(profile.plugin_config):
        where = f"{path}.pluginConfig[{index}]"
        if entry.name in seen:
            yield duplicate(where, entry.name)
        seen.add(entry.name)
        if entry.name in _REMOVED_PLUGINS:
            yield invalid(where, entry.name, removed)
        else:
            yield from _plugin_args(f"{where}.args", entry.name, entry.args, rules)


def _plugin_args(path: str, plugin: str, args: PluginArgs | None, rules: ConfigRules) -> Iterator[Problem]:
    """Validate one plugin's args.

    Upstream validates NodeResourcesFit's under a wrong name, so they aren't checked here.
    """
    if plugin == "NodeResourcesFitArgs" and not isinstance(args, IgnoresResources):
        hint = say("the plugin is called NodeResourcesFit")
        yield invalid(path, Shown(internal_json(args)), "has to match plugin args", hint)
    elif plugin in rules.plugin_args and rules.plugin_args[plugin].validated:
        yield from rules.plugin_args[plugin].problems(path, args)


def _common_queue_sort(profiles: tuple[Profile, ...]) -> Iterator[Problem]:
    if not profiles:
        return
    first = profiles[0].plugins.queue_sort
    if len(first.enabled) > 1:
        detail = "only one queue sort plugin can be enabled"
        yield invalid("profiles[0].plugins.queueSort.Enabled", len(first.enabled), detail)
    name = first.enabled[0].name if first.enabled else ""
    args = None
    for entry in profiles[0].plugin_config:
        if name and entry.name == name:
            args = entry.args
    for index, profile in enumerate(profiles[1:], 1):
        if profile.plugins.queue_sort != first:
            json_value = Shown(internal_json(profile.plugins.queue_sort))
            path = f"profiles[{index}].plugins.queueSort"
            yield invalid(path, json_value, "must be the same for all profiles", _SAME_QUEUE_SORT)
        for entry in profile.plugin_config:
            if entry.name == name and entry.args != args:
                json_value = Shown(internal_json(entry.args))
                detail = "queueSort must be the same for all profiles"
                yield invalid(f"profiles[{index}].pluginConfig.args", json_value, detail, _SAME_QUEUE_SORT)


def validate_extenders(
    extenders: tuple[ExtenderConfig, ...], bad_resource: str = "is an invalid extended resource name"
) -> Iterator[Problem]:
    """Validate extenders. `bad_resource` is the message for Kubernetes' own resource `{}`."""
    managed = set()
    for index, extender in enumerate(extenders):
        path = f"extenders[{index}]"
        if extender.prioritize_verb and extender.weight <= 0:
            yield invalid(f"{path}.weight", extender.weight, "must have a positive weight applied to it")
        for number, resource in enumerate(extender.managed_resources):
            where = f"{path}.managedResources[{number}].name"
            yield from _extended_resource(where, resource.name, bad_resource)
            if resource.name in managed:
                yield invalid(where, resource.name, "duplicate extender managed resource name")
            managed.add(resource.name)
    binders = sum(bool(extender.bind_verb) for extender in extenders)
    if binders > 1:
        count_text = f"found {binders} extenders implementing bind"
        yield invalid("extenders", count_text, "only one extender can implement bind")


def _extended_resource(path: str, name: str, bad_resource: str) -> Iterator[Problem]:
    errors = qualified_name_errors(name)
    for error in errors:
        yield invalid(path, as_json(name), error)
    if not errors and not is_extended_resource(name):
        yield invalid(path, name, bad_resource.format(name))
