"""Affinity of pods to nodes and to other pods."""

from dataclasses import dataclass

from kube_objects.selectors import LabelSelector, NodeSelector, PreferredSchedulingTerm


@dataclass(slots=True, frozen=True)
class NodeAffinity:
    required: NodeSelector | None = None
    preferred: tuple[PreferredSchedulingTerm, ...] = ()


@dataclass(slots=True, frozen=True)
class AffinityTerm:
    """One pod (anti-)affinity term, as stored by the API server (match/mismatchLabelKeys merged into the selector).

    `namespaces` is what the term lists; an empty list with no `namespace_selector` means the pod's own namespace,
    which the parser fills in. Source: pkg/scheduler/framework/types.go newAffinityTerm.
    """

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] = frozenset()
    namespace_selector: LabelSelector | None = None


@dataclass(slots=True, frozen=True)
class WeightedAffinityTerm:
    weight: int
    term: AffinityTerm


@dataclass(slots=True, frozen=True)
class PodAffinity:
    """Used for affinity and for anti-affinity alike."""

    required: tuple[AffinityTerm, ...] = ()
    preferred: tuple[WeightedAffinityTerm, ...] = ()
