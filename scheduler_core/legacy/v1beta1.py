"""A v1beta1 KubeSchedulerConfiguration as v1.20.2 reads it: fields, defaults, validation.

Source (v1.20): kube-scheduler/config/v1beta1/types.go, pkg/scheduler/apis/config/v1beta1/defaults.go,
pkg/scheduler/apis/config/validation/validation.go, component-base/config/validation.
"""

import dataclasses
import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.text.go import format_duration, quote
from kube_objects.text.node import TextNode
from kube_objects.text.problems import Problem
from scheduler_core.config.defaults import construct
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.field_errors import Shown, duplicate, invalid, required
from scheduler_core.config.fields import wire
from scheduler_core.config.load import Codec, FatalError
from scheduler_core.config.rules import Scheme
from scheduler_core.config.types import (
    DEFAULT_SCHEDULER_NAME,
    GROUP,
    KIND,
    ClientConnection,
    ExtenderConfig,
    LeaderElection,
    PluginConfig,
    PluginSet,
    Profile,
    SchedulerConfiguration,
)
from scheduler_core.config.validate import validate_extenders
from scheduler_core.legacy.args import ARGS_TYPES, PodTopologySpreadArgs
from scheduler_core.legacy.policy.types import InternalPolicy, Policy
from scheduler_core.legacy.versions import Gates, spreads_by_default

V1BETA1 = "v1beta1"
INTERNAL = "__internal"
BAD_RESOURCE = "{} is an invalid extended resource name"
API_VERSION = f"{GROUP}/{V1BETA1}"
_BIND_ADDRESS = "0.0.0.0:10251"
_PLUGIN_SET = wire("*v1beta1.PluginSet", of=PluginSet)
_NOTHING = PluginSet()


@dataclass(frozen=True, slots=True)
class _Plugins:
    queue_sort: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    pre_filter: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    filter: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    post_filter: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    pre_score: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    score: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    reserve: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    permit: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    pre_bind: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    bind: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    post_bind: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)


@dataclass(frozen=True, slots=True)
class _Profile:
    scheduler_name: str = field(default="", metadata=wire("*string"))
    plugins: _Plugins = field(default=_Plugins(), metadata=wire("*v1beta1.Plugins", of=_Plugins))
    plugin_config: tuple[PluginConfig, ...] = field(
        default=(), metadata=wire("[]v1beta1.PluginConfig", of=PluginConfig)
    )


@dataclass(frozen=True, slots=True)
class _Configuration:
    """The fields of the text; only their names and types are used."""

    parallelism: int = field(default=16, metadata=wire("*int32"))
    leader_election: LeaderElection = field(
        default=LeaderElection(), metadata=wire("v1alpha1.LeaderElectionConfiguration", of=LeaderElection)
    )
    client_connection: ClientConnection = field(
        default=ClientConnection(), metadata=wire("v1alpha1.ClientConnectionConfiguration", of=ClientConnection)
    )
    healthz_bind_address: str = field(default="", metadata=wire("*string"))
    metrics_bind_address: str = field(default="", metadata=wire("*string"))
    enable_profiling: bool = field(default=True, metadata=wire("*bool"))
    enable_contention_profiling: bool = field(default=True, metadata=wire("*bool"))
    percentage_of_nodes_to_score: int = field(default=0, metadata=wire("*int32"))
    pod_initial_backoff_seconds: int = field(default=1, metadata=wire("*int64"))
    pod_max_backoff_seconds: int = field(default=10, metadata=wire("*int64"))
    profiles: tuple[_Profile, ...] = field(default=(), metadata=wire("[]v1beta1.KubeSchedulerProfile", of=_Profile))
    extenders: tuple[ExtenderConfig, ...] = field(default=(), metadata=wire("[]v1beta1.Extender", of=ExtenderConfig))


def _strict_text(text: str, problems: Sequence[str]) -> str:
    """Return upstream's message, which has the whole text and then only the first problem."""
    return f"strict decoder error for {text}: {problems[0]}"


SCHEME = Scheme(
    "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30",
    {
        (GROUP, V1BETA1, KIND): _Configuration,
        ("", "v1", "Policy"): Policy,
        (GROUP, "v1", "Policy"): Policy,
        (GROUP, INTERNAL, "Policy"): InternalPolicy,
    },
    ARGS_TYPES,
    version=V1BETA1,
    strict_text=_strict_text,
    strict_first=True,
)


@dataclass(slots=True)
class V1beta1Document:
    """A decoded configuration. `addresses`: healthzBindAddress and metricsBindAddress, by name.

    `sets_plugins`: it sets plugins, which a Policy would replace.
    """

    config: SchedulerConfiguration
    root: TextNode
    addresses: dict[str, str]
    sets_plugins: bool


def decode(text: str, gates: Gates) -> V1beta1Document:
    """Decode and default a text without validating it. Raises ConfigError of stage decode."""
    try:
        root, values = Codec(text, SCHEME).decode(KIND)
    except FatalError as fatal:
        raise ConfigError("decode", [fatal.problem]) from None
    names = ("healthzBindAddress", "metricsBindAddress")
    addresses = {name: _default_address(values.pop(name, _BIND_ADDRESS)) for name in names}
    profiles = values.get("profiles", [])
    sets_plugins = len(profiles) > 1 or any("plugins" in p or p.get("pluginConfig") for p in profiles)
    return V1beta1Document(_complete_fields(values, gates), root, addresses, sets_plugins)


def _complete_fields(values: dict[str, Any], gates: Gates) -> SchedulerConfiguration:
    profiles = values.get("profiles") or [{}]
    if len(profiles) == 1:
        profiles = [{"schedulerName": DEFAULT_SCHEDULER_NAME, **profiles[0]}]
    profiling = values.get("enableProfiling", True)
    values = {"enableContentionProfiling": profiling, **values, "profiles": profiles}
    config = construct(SchedulerConfiguration, values)
    return dataclasses.replace(
        config,
        api_version=API_VERSION,
        profiles=tuple(
            dataclasses.replace(
                profile,
                plugin_config=tuple(
                    dataclasses.replace(entry, args=set_defaulting_type(entry.args, gates))
                    for entry in profile.plugin_config
                ),
            )
            for profile in config.profiles
        ),
    )


def set_defaulting_type(args: Any, gates: Gates) -> Any:
    """Return PodTopologySpread's args with their defaultingType; other args unchanged."""
    if not isinstance(args, PodTopologySpreadArgs) or args.defaulting_type:
        return args
    system = spreads_by_default(gates) and not args.default_constraints
    return dataclasses.replace(args, defaulting_type="System" if system else "List")


def _default_address(text: str) -> str:
    """Return the defaulted address. Source: SetDefaults_KubeSchedulerConfiguration."""
    split = _split_host_port(text)
    if split is not None:
        host, port = split
        return _join_host_port(host or "0.0.0.0", port)  # noqa: S104 - a value to compare with, nothing listens
    return _join_host_port(text, "10251") if _is_ip(text) else _BIND_ADDRESS


def _join_host_port(host: str, port: str) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _split_host_port(text: str) -> tuple[str, str] | None:
    """Split an address. Source: Go's net.SplitHostPort."""
    host, colon, port = text.rpartition(":")
    if not colon:
        return None
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        return None
    return None if set("[]") & set(host + port) else (host, port)


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def validate(document: V1beta1Document) -> list[Problem]:
    """Return all problems of a configuration; args are checked when plugins are built."""
    return list(_validate(document))


def _validate(document: V1beta1Document) -> Iterator[Problem]:
    config = document.config
    if config.client_connection.burst < 0:
        yield invalid("clientConnection.burst", config.client_connection.burst, "must be non-negative")
    yield from _check_leader_election(config.leader_election)
    if config.parallelism <= 0:
        yield invalid("parallelism", config.parallelism, "should be an integer value greater than zero")
    yield from _check_profiles(config.profiles)
    for name, address in document.addresses.items():
        for problem in _check_address(address):
            yield invalid(name, address, problem)
    percentage = config.percentage_of_nodes_to_score or 0
    if not 0 <= percentage <= 100:
        yield invalid("percentageOfNodesToScore", percentage, "not in valid range [0-100]")
    if config.pod_initial_backoff_seconds <= 0:
        yield invalid("podInitialBackoffSeconds", config.pod_initial_backoff_seconds, "must be greater than 0")
    if config.pod_max_backoff_seconds < config.pod_initial_backoff_seconds:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        yield invalid("podMaxBackoffSeconds", config.pod_max_backoff_seconds, detail)
    yield from validate_extenders(config.extenders, BAD_RESOURCE)


def _check_leader_election(election: LeaderElection) -> Iterator[Problem]:
    if not election.leader_elect:
        return
    times = (
        ("leaseDuration", election.lease_duration),
        ("renewDeadline", election.renew_deadline),
        ("retryPeriod", election.retry_period),
    )
    for name, value in times:
        if value <= 0:
            yield invalid(f"leaderElection.{name}", Shown(format_duration(value)), "must be greater than zero")
    if election.lease_duration < election.renew_deadline:
        shown = Shown(format_duration(election.renew_deadline))
        yield invalid("leaderElection.leaseDuration", shown, "LeaseDuration must be greater than RenewDeadline")


def _check_profiles(profiles: tuple[Profile, ...]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, profile in enumerate(profiles):
        if not profile.scheduler_name:
            yield required(f"profiles[{index}].schedulerName")
        if profile.scheduler_name in seen:
            # Upstream prints a path object that has nothing to print.
            yield duplicate(f"profiles[{index}].schedulerName", Shown("{}"))
        seen.add(profile.scheduler_name)
    for index, profile in enumerate(profiles[1:], 1):
        queue_sort = profile.plugins.queue_sort
        if queue_sort != profiles[0].plugins.queue_sort:
            shown = "null" if queue_sort == _NOTHING else Shown(_go_syntax(queue_sort))
            yield invalid(f"profiles[{index}].plugins.queueSort", shown, "has to match for all profiles")


def _go_syntax(plugins: PluginSet) -> str:
    """Return a plugin set as Go's `%#v` prints it."""
    lists = (
        "{" + ", ".join(f"config.Plugin{{Name:{quote(p.name)}, Weight:{p.weight}}}" for p in refs) + "}"
        if refs
        else "(nil)"
        for refs in (plugins.enabled, plugins.disabled)
    )
    enabled, disabled = (f"[]config.Plugin{text}" for text in lists)
    return f"config.PluginSet{{Enabled:{enabled}, Disabled:{disabled}}}"


def _check_address(address: str) -> Iterator[str]:
    split = _split_host_port(address)
    if split is None:
        yield "must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)"
        return
    host, port = split
    if not (port.isascii() and port.isdigit() and 1 <= int(port[:9]) <= 65535):
        yield "must be between 1 and 65535, inclusive"
    if not _is_ip(host):
        yield "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
