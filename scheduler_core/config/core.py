"""Types of the core API inside plugin args, as written (not compiled into selectors).

Source: k8s.io/api/core/v1/types.go, apimachinery/pkg/apis/meta/v1/types.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scheduler_core.config.fields import wire


@dataclass(frozen=True, slots=True)
class NodeSelectorRequirement:
    """A requirement. `values` None is a missing list, () an empty one; upstream's error messages differ."""

    key: str = field(default="", metadata=wire("string", keep=True))
    operator: str = field(default="", metadata=wire("v1.NodeSelectorOperator", keep=True))
    values: tuple[str, ...] | None = field(default=None, metadata=wire("[]string"))


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    match_expressions: tuple[NodeSelectorRequirement, ...] = field(
        default=(), metadata=wire("[]v1.NodeSelectorRequirement", of=NodeSelectorRequirement)
    )
    match_fields: tuple[NodeSelectorRequirement, ...] = field(
        default=(), metadata=wire("[]v1.NodeSelectorRequirement", of=NodeSelectorRequirement)
    )


@dataclass(frozen=True, slots=True)
class NodeSelector:
    """A node selector. `node_selector_terms` is None if the list is missing."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] | None = field(
        default=None, metadata=wire("[]v1.NodeSelectorTerm", of=NodeSelectorTerm, keep=True)
    )


@dataclass(frozen=True, slots=True)
class PreferredSchedulingTerm:
    weight: int = field(default=0, metadata=wire("int32", keep=True))
    preference: NodeSelectorTerm = field(
        default=NodeSelectorTerm(), metadata=wire("v1.NodeSelectorTerm", of=NodeSelectorTerm, keep=True)
    )


@dataclass(frozen=True, slots=True)
class V1NodeAffinity:
    required: NodeSelector | None = field(
        default=None,
        metadata=wire("*v1.NodeSelector", of=NodeSelector, json="requiredDuringSchedulingIgnoredDuringExecution"),
    )
    preferred: tuple[PreferredSchedulingTerm, ...] = field(
        default=(),
        metadata=wire(
            "[]v1.PreferredSchedulingTerm",
            of=PreferredSchedulingTerm,
            json="preferredDuringSchedulingIgnoredDuringExecution",
        ),
    )


@dataclass(frozen=True, slots=True)
class LabelSelectorRequirement:
    key: str = field(default="", metadata=wire("string", keep=True))
    operator: str = field(default="", metadata=wire("v1.LabelSelectorOperator", keep=True))
    values: tuple[str, ...] = field(default=(), metadata=wire("[]string"))


@dataclass(frozen=True, slots=True)
class LabelSelector:
    match_labels: Mapping[str, str] = field(default_factory=dict, metadata=wire("map[string]string"))
    match_expressions: tuple[LabelSelectorRequirement, ...] = field(
        default=(), metadata=wire("[]v1.LabelSelectorRequirement", of=LabelSelectorRequirement)
    )


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """The fields that TopologySpreadConstraint has in every version."""

    max_skew: int = field(default=0, metadata=wire("int32", keep=True))
    topology_key: str = field(default="", metadata=wire("string", keep=True))
    when_unsatisfiable: str = field(default="", metadata=wire("v1.UnsatisfiableConstraintAction", keep=True))
    label_selector: LabelSelector | None = field(default=None, metadata=wire("*v1.LabelSelector", of=LabelSelector))


@dataclass(frozen=True, slots=True)
class TopologySpreadConstraint(SpreadConstraint):
    min_domains: int | None = field(default=None, metadata=wire("*int32"))
    node_affinity_policy: str | None = field(default=None, metadata=wire("*v1.NodeInclusionPolicy"))
    node_taints_policy: str | None = field(default=None, metadata=wire("*v1.NodeInclusionPolicy"))
    match_label_keys: tuple[str, ...] = field(default=(), metadata=wire("[]string"))


CORE_TYPES: tuple[type, ...] = (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    NodeSelector,
    PreferredSchedulingTerm,
    V1NodeAffinity,
    LabelSelectorRequirement,
    LabelSelector,
    TopologySpreadConstraint,
)
