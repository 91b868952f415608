"""The types of a KubeSchedulerConfiguration, decoded and defaulted.

Times without a unit in their name are nanoseconds.
Source: pkg/scheduler/apis/config/types.go (fields), kube-scheduler/config/v1/types.go (JSON names).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kube_objects.text.go import SECOND
from scheduler_core.config.fields import wire, wire_fields

GROUP = "kubescheduler.config.k8s.io"
VERSION = "v1"
API_VERSION = f"{GROUP}/{VERSION}"
KIND = "KubeSchedulerConfiguration"
DEFAULT_SCHEDULER_NAME = "default-scheduler"

# Each plugin with args has its own type, see `args`; all others have RawArgs.
PluginArgs = object


@dataclass(frozen=True, slots=True)
class LeaderElection:
    leader_elect: bool = field(default=True, metadata=wire("*bool", keep=True))
    lease_duration: int = field(default=15 * SECOND, metadata=wire("v1.Duration", keep=True, zero_unset=True))
    renew_deadline: int = field(default=10 * SECOND, metadata=wire("v1.Duration", keep=True, zero_unset=True))
    retry_period: int = field(default=2 * SECOND, metadata=wire("v1.Duration", keep=True, zero_unset=True))
    resource_lock: str = field(default="leases", metadata=wire("string", keep=True, zero_unset=True))
    resource_name: str = field(default="kube-scheduler", metadata=wire("string", keep=True, zero_unset=True))
    resource_namespace: str = field(default="kube-system", metadata=wire("string", keep=True, zero_unset=True))


@dataclass(frozen=True, slots=True)
class ClientConnection:
    kubeconfig: str = field(default="", metadata=wire("string", keep=True))
    accept_content_types: str = field(default="", metadata=wire("string", keep=True))
    content_type: str = field(
        default="application/vnd.kubernetes.protobuf", metadata=wire("string", keep=True, zero_unset=True)
    )
    qps: float = field(default=50.0, metadata=wire("float32", keep=True, zero_unset=True))
    burst: int = field(default=100, metadata=wire("int32", keep=True, zero_unset=True))


@dataclass(frozen=True, slots=True)
class PluginRef:
    """A plugin in a plugin set. `weight` is used at Score only; 0 means 1.

    `default` marks an entry of upstream's default plugins; comparisons ignore it.
    """

    name: str = field(default="", metadata=wire("string", keep=True))
    weight: int = field(default=0, metadata=wire("*int32"))
    default: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class PluginSet:
    enabled: tuple[PluginRef, ...] = field(default=(), metadata=wire("[]v1.Plugin", of=PluginRef))
    disabled: tuple[PluginRef, ...] = field(default=(), metadata=wire("[]v1.Plugin", of=PluginRef))


_NOTHING = PluginSet()
_PLUGIN_SET = wire("v1.PluginSet", of=PluginSet)


@dataclass(frozen=True, slots=True)
class Plugins:
    """The enabled and disabled plugins of each extension point, merged with the default plugins."""

    pre_enqueue: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
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
    multi_point: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)

    def set_at(self, point: str) -> PluginSet:
        """Return the set of an extension point named as in a configuration (`preFilter`, `multiPoint`, …)."""
        plugin_set: PluginSet = getattr(self, _attributes(type(self))[point])
        return plugin_set

    def items(self) -> Iterator[tuple[str, PluginSet]]:
        """Return (point, set) of every point, `multiPoint` included."""
        return ((point, self.set_at(point)) for point in _attributes(type(self)))


def _attributes(cls: type[Plugins]) -> Mapping[str, str]:
    """Return point → attribute, cached per class."""
    if cls not in _KNOWN:
        _KNOWN[cls] = {entry.json: entry.attribute for entry in wire_fields(cls)}
    return _KNOWN[cls]


_KNOWN: dict[type[Plugins], Mapping[str, str]] = {}


# The extension points as configurations name them, in the order they run; multiPoint is not one of them.
EXTENSION_POINTS: tuple[str, ...] = tuple(point for point in _attributes(Plugins) if point != "multiPoint")


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """The args of a plugin; None if the configuration has none for a plugin without an args type."""

    name: str = field(default="", metadata=wire("string", keep=True))
    args: PluginArgs | None = field(default=None, metadata=wire("runtime.RawExtension", keep=True))


@dataclass(frozen=True, slots=True)
class Profile:
    """A scheduling profile. `percentage_of_nodes_to_score` None means the global value, 0 is adaptive."""

    scheduler_name: str = field(default="", metadata=wire("*string"))
    percentage_of_nodes_to_score: int | None = field(default=None, metadata=wire("*int32"))
    plugins: Plugins = field(default=Plugins(), metadata=wire("*v1.Plugins", of=Plugins))
    plugin_config: tuple[PluginConfig, ...] = field(default=(), metadata=wire("[]v1.PluginConfig", of=PluginConfig))
    all_filters: bool = False
    """Run all filters on a node, also after a rejection: `alwaysCheckAllPredicates` of a v1.20 Policy."""

    @property
    def plugin_args(self) -> Mapping[str, PluginArgs | None]:
        """Return the args by plugin name; every enabled in-tree plugin with args has an entry."""
        return {entry.name: entry.args for entry in self.plugin_config}


@dataclass(frozen=True, slots=True)
class ExtenderManagedResource:
    name: str = field(default="", metadata=wire("string", keep=True))
    ignored_by_scheduler: bool = field(default=False, metadata=wire("bool"))


@dataclass(frozen=True, slots=True)
class ExtenderTLSConfig:
    """TLS settings, stored for export only; the playground reads no files."""

    insecure: bool = field(default=False, metadata=wire("bool"))
    server_name: str = field(default="", metadata=wire("string"))
    cert_file: str = field(default="", metadata=wire("string"))
    key_file: str = field(default="", metadata=wire("string"))
    ca_file: str = field(default="", metadata=wire("string"))
    cert_data: bytes = field(default=b"", metadata=wire("[]uint8"))
    key_data: bytes = field(default=b"", metadata=wire("[]uint8"))
    ca_data: bytes = field(default=b"", metadata=wire("[]uint8"))


@dataclass(frozen=True, slots=True)
class ExtenderConfig:
    """A webhook's configuration. An empty verb is not called; `http_timeout` 0 means five seconds."""

    url_prefix: str = field(default="", metadata=wire("string", keep=True))
    filter_verb: str = field(default="", metadata=wire("string"))
    preempt_verb: str = field(default="", metadata=wire("string"))
    prioritize_verb: str = field(default="", metadata=wire("string"))
    weight: int = field(default=0, metadata=wire("int64"))
    bind_verb: str = field(default="", metadata=wire("string"))
    enable_https: bool = field(default=False, metadata=wire("bool", json="enableHTTPS"))
    tls_config: ExtenderTLSConfig | None = field(
        default=None, metadata=wire("*v1.ExtenderTLSConfig", of=ExtenderTLSConfig)
    )
    http_timeout: int = field(default=0, metadata=wire("v1.Duration", keep=True))
    node_cache_capable: bool = field(default=False, metadata=wire("bool"))
    managed_resources: tuple[ExtenderManagedResource, ...] = field(
        default=(), metadata=wire("[]v1.ExtenderManagedResource", of=ExtenderManagedResource)
    )
    ignorable: bool = field(default=False, metadata=wire("bool"))


@dataclass(frozen=True, slots=True)
class SchedulerConfiguration:
    """A complete configuration. `percentage_of_nodes_to_score` 0 is adaptive."""

    kind: str = field(default=KIND, metadata=wire("string"))
    api_version: str = field(default=API_VERSION, metadata=wire("string"))
    parallelism: int = field(default=16, metadata=wire("*int32"))
    leader_election: LeaderElection = field(
        default=LeaderElection(), metadata=wire("v1alpha1.LeaderElectionConfiguration", of=LeaderElection, keep=True)
    )
    client_connection: ClientConnection = field(
        default=ClientConnection(),
        metadata=wire("v1alpha1.ClientConnectionConfiguration", of=ClientConnection, keep=True),
    )
    enable_profiling: bool = field(default=True, metadata=wire("*bool"))
    enable_contention_profiling: bool = field(default=False, metadata=wire("*bool"))
    percentage_of_nodes_to_score: int | None = field(default=0, metadata=wire("*int32"))
    pod_initial_backoff_seconds: int = field(default=1, metadata=wire("*int64"))
    pod_max_backoff_seconds: int = field(default=10, metadata=wire("*int64"))
    profiles: tuple[Profile, ...] = field(default=(), metadata=wire("[]v1.KubeSchedulerProfile", of=Profile))
    extenders: tuple[ExtenderConfig, ...] = field(default=(), metadata=wire("[]v1.Extender", of=ExtenderConfig))
    delay_cache_until_active: bool = field(default=False, metadata=wire("bool"))
