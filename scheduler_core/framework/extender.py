"""Extender: the interface of a webhook that filters, scores, preempts or binds.

Source: pkg/scheduler/framework/extender.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes


class ExtenderError(Exception):
    """Raised if a call failed; the message is upstream's."""


@dataclass(slots=True, frozen=True)
class ExtenderFilterResult:
    """The filter answer of an extender. `nodes` are those that passed, in the order of the answer.

    An extender that is not nodeCacheCapable returns Node objects. Upstream continues with nodes that hold no pods, so
    `nodes` may be a view of another table.
    """

    nodes: Nodes
    failed: Mapping[str, str] = field(default_factory=dict)
    failed_and_unresolvable: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Victims:
    """The pods to evict from a node, most important first."""

    pods: list[Pod]
    pdb_violations: int


class Extender(Protocol):
    name: str  # the urlPrefix, as upstream names it
    weight: int
    ignorable: bool
    is_filter: bool
    is_prioritizer: bool
    is_binder: bool
    supports_preemption: bool

    def is_interested(self, pod: Pod) -> bool:
        """Return False only if `managedResources` are set and the pod requests none of them."""

    def filter(self, pod: Pod, nodes: Nodes) -> ExtenderFilterResult: ...

    def prioritize(self, pod: Pod, nodes: Nodes) -> Sequence[tuple[str, int]]:
        """Return (node name, score) before weight and scale; 0 for each node if it is no prioritizer."""

    def bind(self, pod: Pod, node_name: str) -> None: ...

    def process_preemption(self, pod: Pod, victims: Mapping[str, Victims], nodes: Nodes) -> dict[str, Victims]:
        """Return the candidates that pass the extender, by node name."""
