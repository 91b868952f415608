"""The extension points, in the order in which they run, and the classes that plugins derive from.

A plugin evaluates many nodes at a time: `nodes` is a view of columns (`scheduler_core.cache.nodes.Nodes`), the result
is one column. `PerNodeFilter` and `PerNodeScore` adapt a rule for a single node. Built-in plugins use the same
interface.
Source: kube-scheduler/framework/interface.go, pkg/scheduler/framework/interface.go.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.events import ClusterEventWithHint
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts

if TYPE_CHECKING:
    from scheduler_core.framework.handle import Handle
    from scheduler_core.framework.queued_pod import QueuedPodInfo

MAX_NODE_SCORE = 100


class ExtensionPoint(StrEnum):
    """All extension points. Filter and Score are called once for many nodes."""

    PRE_ENQUEUE = "PreEnqueue"
    QUEUE_SORT = "QueueSort"
    PRE_FILTER = "PreFilter"
    FILTER = "Filter"
    POST_FILTER = "PostFilter"
    PRE_SCORE = "PreScore"
    SCORE = "Score"
    NORMALIZE_SCORE = "NormalizeScore"
    RESERVE = "Reserve"
    UNRESERVE = "Unreserve"
    PERMIT = "Permit"
    PRE_BIND = "PreBind"
    BIND = "Bind"
    POST_BIND = "PostBind"


class Reads(IntEnum):
    """The data about a node that a verdict or raw score depends on, besides the pod's signature
    (`answer_cache.signature_of`).

    Each level includes those before it. Results up to ROW are cached until the row changes.
    """

    NODE = 1  # the node object
    LOAD = 2  # the allocatable and requested amounts and the number of pods, nothing else about the pods
    ROW = 3  # the pods on the node
    CLUSTER = 4  # anything else


class Plugin(ABC):
    """A scheduler plugin.

    `name` is its name in registries and configurations; `reads` applies to verdicts and raw scores.
    """

    name: ClassVar[str]
    reads: Reads = Reads.CLUSTER
    reads_metadata: bool = True
    """True if verdicts or raw scores depend on the pod's labels, annotations or namespace. If those of no cached plugin
    do, pods that differ in nothing else share cached rows."""
    without: ClassVar[frozenset[ExtensionPoint]] = frozenset()
    """Extension points of base classes that this plugin doesn't implement, because older versions had fewer."""
    args_rules: ClassVar[ArgsRules | None] = None
    """The type and validation of the plugin's args; None passes them on as written."""
    named_at: ClassVar[frozenset[str]] = frozenset()
    """Further points where a configuration may name the plugin without effect, because a feature gate is off."""

    @classmethod
    def create(cls, args: Any, handle: "Handle") -> Self:
        """Build the plugin from its args, decoded and defaulted by `args_rules`; without these they are raw.

        Raises BuildError (`scheduler_core.config.errors`) with upstream's message for invalid args.
        """
        return cls()


class WithHandle(Plugin):
    """A plugin without args that uses its handle."""

    def __init__(self, handle: "Handle") -> None:
        self._handle = handle

    @classmethod
    def create(cls, args: Any, handle: "Handle") -> Self:
        return cls(handle)


class PreEnqueuePlugin(Plugin):
    @abstractmethod
    def pre_enqueue(self, pod: Pod) -> Status:
        """Return Success to let the pod into activeQ; anything else gates it."""


class QueueSortPlugin(Plugin):
    @abstractmethod
    def sort_key(self, pod: "QueuedPodInfo") -> tuple[Any, ...]:
        """Return the pod's sort key; smaller keys are popped first (upstream's Less, as a key)."""


class EnqueueExtensions(Plugin):
    @abstractmethod
    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        """Return the events that may make a pod schedulable after this plugin rejected it."""


@dataclass(slots=True, frozen=True)
class PreFilterResult:
    """A PreFilter result. `node_names` restricts the nodes to these (they need not exist); None allows all nodes."""

    status: Status = SUCCESS
    node_names: frozenset[str] | None = None


class PreFilterPlugin(Plugin):
    @abstractmethod
    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        """Read the whole cluster once. Skip means that this plugin's Filter doesn't run."""

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        """Return True if the result and the written state are the same for all pods of the pod's template.

        The plugin is then called for the first of them only, until a node is added, changed or removed. The state must
        not be modified later.
        """
        return False

    def add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
        """Update the state as if `added` ran on `node` too (nominated pods, preemption dry runs)."""
        return SUCCESS

    def remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
        """Update the state as if `removed` no longer ran on `node`."""
        return SUCCESS


class FilterPlugin(Plugin):
    @abstractmethod
    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        """Return one verdict for each of `nodes`; it must not depend on which other nodes are in the view."""


class PerNodeFilter(FilterPlugin):
    @abstractmethod
    def filter_node(self, state: CycleState, pod: Pod, node: NodeView) -> Status: ...

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return Verdicts.from_statuses([self.filter_node(state, pod, node) for node in nodes])


@dataclass(slots=True, frozen=True)
class PostFilterResult:
    """A PostFilter result. `nominated_node` None keeps the pod's nomination, "" clears it."""

    status: Status
    nominated_node: str | None = None
    detail: Mapping[str, Any] | None = None
    """JSON-ready facts for the trace (preemption: candidates, victims, ties, cleared nominations)."""
    calls: Sequence[Mapping[str, Any]] = ()
    """Trace steps of the extenders that the plugin called."""


class PostFilterPlugin(Plugin):
    @abstractmethod
    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        """Try to make the pod schedulable if no node is feasible; `statuses` holds each node's status."""


class PreScorePlugin(Plugin):
    @abstractmethod
    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        """Prepare for the feasible `nodes`. Skip means that this plugin's Score doesn't run."""

    def pre_score_is_reusable(self, pod: Pod) -> bool:
        """Return True if the result is reusable, as in `pre_filter_is_reusable`."""
        return False


class ScorePlugin(Plugin):
    """A Score plugin.

    A raw score that reads no more than its row may also depend on all node objects of the cluster.
    """

    normalizes: ClassVar[bool] = False
    zero_if_skipped: ClassVar[bool] = False
    """All scores are 0 if the plugin's own PreFilter skipped, so Score isn't called."""

    @abstractmethod
    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        """Return the int64 raw score of each node: any range if `normalizes`, else 0 to 100."""

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        """Return a new column with the scores scaled to 0…100. Called only if `normalizes`."""
        return scores


class PerNodeScore(ScorePlugin):
    @abstractmethod
    def score_node(self, state: CycleState, pod: Pod, node: NodeView) -> int: ...

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        return np.fromiter((self.score_node(state, pod, node) for node in nodes), np.int64, len(nodes))


class ReservePlugin(Plugin):
    @abstractmethod
    def reserve(self, state: CycleState, pod: Pod, node_name: str) -> Status: ...

    @abstractmethod
    def unreserve(self, state: CycleState, pod: Pod, node_name: str) -> None:
        """Undo Reserve; must also work if Reserve failed or was never called."""


@dataclass(slots=True, frozen=True)
class PermitResult:
    """A Permit result. `timeout` in seconds of virtual time is read only if the status is Wait."""

    status: Status = SUCCESS
    timeout: float = 0.0


class PermitPlugin(Plugin):
    @abstractmethod
    def permit(self, state: CycleState, pod: Pod, node_name: str) -> PermitResult: ...


class PreBindPlugin(Plugin):
    @abstractmethod
    def pre_bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        """Prepare the binding. If the status is Wait, `poll` is called every few seconds for `poll_timeout` seconds."""

    @property
    def poll_timeout(self) -> float:
        """Return how many seconds the plugin waits."""
        return 0.0

    def poll(self, state: CycleState, pod: Pod, now: float) -> Status:
        """Return whether the pod could go on at time `now`, if nothing else changed. Must not change anything."""
        return SUCCESS

    def timeout_status(self) -> Status:
        """Return the status of a pod whose `poll_timeout` is over."""
        return Status.error("context deadline exceeded")


class BindPlugin(Plugin):
    @abstractmethod
    def bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        """Bind the pod. Skip leaves it to the next Bind plugin."""


class PostBindPlugin(Plugin):
    @abstractmethod
    def post_bind(self, state: CycleState, pod: Pod, node_name: str) -> None: ...


# The plugin class of each extension point that a configuration can name, in their order.
POINT_CLASSES: Mapping[ExtensionPoint, type[Plugin]] = {
    ExtensionPoint.PRE_ENQUEUE: PreEnqueuePlugin,
    ExtensionPoint.QUEUE_SORT: QueueSortPlugin,
    ExtensionPoint.PRE_FILTER: PreFilterPlugin,
    ExtensionPoint.FILTER: FilterPlugin,
    ExtensionPoint.POST_FILTER: PostFilterPlugin,
    ExtensionPoint.PRE_SCORE: PreScorePlugin,
    ExtensionPoint.SCORE: ScorePlugin,
    ExtensionPoint.RESERVE: ReservePlugin,
    ExtensionPoint.PERMIT: PermitPlugin,
    ExtensionPoint.PRE_BIND: PreBindPlugin,
    ExtensionPoint.BIND: BindPlugin,
    ExtensionPoint.POST_BIND: PostBindPlugin,
}
