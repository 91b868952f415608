"""The types of a Policy file, as written.

Source (v1.20): kube-scheduler/config/v1/types.go, pkg/scheduler/apis/config/legacy_types.go.
"""

from dataclasses import dataclass, field

from kube_objects.text.node import TextNode
from scheduler_core.config.args.resources import UtilizationShapePoint
from scheduler_core.config.fields import wire
from scheduler_core.config.types import ExtenderConfig, ExtenderManagedResource, ExtenderTLSConfig
from scheduler_core.legacy.args import LegacyResourceSpec


@dataclass(frozen=True, slots=True)
class ServiceAffinity:
    labels: tuple[str, ...] = field(default=(), metadata=wire("[]string", keep=True))


@dataclass(frozen=True, slots=True)
class LabelsPresence:
    labels: tuple[str, ...] = field(default=(), metadata=wire("[]string", keep=True))
    presence: bool = field(default=False, metadata=wire("bool", keep=True))


@dataclass(frozen=True, slots=True)
class ServiceAntiAffinity:
    label: str = field(default="", metadata=wire("string", keep=True))


@dataclass(frozen=True, slots=True)
class LabelPreference:
    label: str = field(default="", metadata=wire("string", keep=True))
    presence: bool = field(default=False, metadata=wire("bool", keep=True))


@dataclass(frozen=True, slots=True)
class RequestedToCapacityRatioArguments:
    shape: tuple[UtilizationShapePoint, ...] = field(
        default=(), metadata=wire("[]v1.UtilizationShapePoint", of=UtilizationShapePoint, keep=True)
    )
    resources: tuple[LegacyResourceSpec, ...] = field(
        default=(), metadata=wire("[]v1.ResourceSpec", of=LegacyResourceSpec)
    )


@dataclass(frozen=True, slots=True)
class PredicateArgument:
    service_affinity: ServiceAffinity | None = field(
        default=None, metadata=wire("*v1.ServiceAffinity", of=ServiceAffinity)
    )
    labels_presence: LabelsPresence | None = field(default=None, metadata=wire("*v1.LabelsPresence", of=LabelsPresence))


@dataclass(frozen=True, slots=True)
class PriorityArgument:
    service_anti_affinity: ServiceAntiAffinity | None = field(
        default=None, metadata=wire("*v1.ServiceAntiAffinity", of=ServiceAntiAffinity)
    )
    label_preference: LabelPreference | None = field(
        default=None, metadata=wire("*v1.LabelPreference", of=LabelPreference)
    )
    requested_to_capacity_ratio_arguments: RequestedToCapacityRatioArguments | None = field(
        default=None, metadata=wire("*v1.RequestedToCapacityRatioArguments", of=RequestedToCapacityRatioArguments)
    )


@dataclass(frozen=True, slots=True)
class PredicatePolicy:
    name: str = field(default="", metadata=wire("string", keep=True))
    argument: PredicateArgument | None = field(
        default=None, metadata=wire("*v1.PredicateArgument", of=PredicateArgument)
    )


@dataclass(frozen=True, slots=True)
class PriorityPolicy:
    name: str = field(default="", metadata=wire("string", keep=True))
    weight: int = field(default=0, metadata=wire("int64", keep=True))
    argument: PriorityArgument | None = field(default=None, metadata=wire("*v1.PriorityArgument", of=PriorityArgument))


@dataclass(frozen=True, slots=True)
class Policy:
    """A Policy. `predicates`, `priorities` None mean the defaults, () none; `extenders` have their own rules."""

    predicates: tuple[PredicatePolicy, ...] | None = field(
        default=None, metadata=wire("[]v1.PredicatePolicy", of=PredicatePolicy)
    )
    priorities: tuple[PriorityPolicy, ...] | None = field(
        default=None, metadata=wire("[]v1.PriorityPolicy", of=PriorityPolicy)
    )
    extenders: tuple[TextNode, ...] = field(default=(), metadata=wire("[]runtime.RawExtension"))
    hard_pod_affinity_symmetric_weight: int = field(default=0, metadata=wire("int32", keep=True))
    always_check_all_predicates: bool = field(default=False, metadata=wire("bool", keep=True))


@dataclass(frozen=True, slots=True)
class LegacyExtender:
    """An extender with two different fields: `enableHttps`, and the timeout as a number of nanoseconds."""

    url_prefix: str = field(default="", metadata=wire("string", keep=True))
    filter_verb: str = field(default="", metadata=wire("string"))
    preempt_verb: str = field(default="", metadata=wire("string"))
    prioritize_verb: str = field(default="", metadata=wire("string"))
    weight: int = field(default=0, metadata=wire("int64"))
    bind_verb: str = field(default="", metadata=wire("string"))
    enable_https: bool = field(default=False, metadata=wire("bool"))
    tls_config: ExtenderTLSConfig | None = field(
        default=None, metadata=wire("*v1.ExtenderTLSConfig", of=ExtenderTLSConfig)
    )
    http_timeout: int = field(default=0, metadata=wire("int64"))
    node_cache_capable: bool = field(default=False, metadata=wire("bool"))
    managed_resources: tuple[ExtenderManagedResource, ...] = field(
        default=(), metadata=wire("[]v1.ExtenderManagedResource", of=ExtenderManagedResource)
    )
    ignorable: bool = field(default=False, metadata=wire("bool"))


@dataclass(frozen=True, slots=True)
class InternalPolicy(Policy):
    """The program's internal type, with Go's field names and current extenders."""

    extenders: tuple[ExtenderConfig, ...] = field(  # type: ignore[assignment]  # of another type, as upstream's are
        default=(), metadata=wire("[]config.Extender", of=ExtenderConfig)
    )
