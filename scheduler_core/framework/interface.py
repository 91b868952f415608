"""The extension points, in the order they run.

A plugin is written once, for many nodes at a time: `nodes` is a view of columns (`scheduler_core.cache.nodes.Nodes`),
the answer one column. `PerNodeFilter` and `PerNodeScore` lift a rule that is easier to say for one node. A plugin is
any class that derives from the points it takes part in; built-in plugins have no other way in than these.

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
from scheduler_core.framework.diagnosis import NodeStatuses
from scheduler_core.framework.events import EventWithHint
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts

if TYPE_CHECKING:
    from scheduler_core.framework.handle import Handle
    from scheduler_core.framework.queued_pod import QueuedPod

MAX_NODE_SCORE = 100


class ExtensionPoint(StrEnum):
    """All points; Filter and Score stand for what they do to every node."""

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
    """What an answer about a node depends on, besides the pod's template (`framework.answer_cache.signature_of`).

    Each level includes those before it. What reads no more than its row is kept until the row changes.
    """

    NODE = 1  # the node object
    LOAD = 2  # what is allocatable and requested there, and how many pods there are: nothing else of its pods
    ROW = 3  # the pods on the node
    CLUSTER = 4  # anything else


class Plugin(ABC):
    """`name` is the name in the registry and in configurations; `reads` is about its verdicts and raw scores."""

    name: ClassVar[str]
    reads: Reads = Reads.CLUSTER
    reads_metadata: bool = True
    """Whether they depend on the pod's labels, annotations or namespace: what is kept of rows is shared by pods that
    differ in nothing else, where no plugin says so that reads no more than rows."""
    without: ClassVar[frozenset[ExtensionPoint]] = frozenset()
    """Points of a base class that this plugin does not take part in: older versions of a plugin had fewer."""
    args_rules: ClassVar[ArgsRules | None] = None
    """What its args are and what is checked in them; without it they are given as they were written."""
    named_at: ClassVar[frozenset[str]] = frozenset()
    """Further points where a configuration may name the plugin, and where none is run: their feature gate is off."""

    @classmethod
    def create(cls, args: Any, handle: "Handle") -> Self:
        """Build the plugin from its args, checked and defaulted by `args_rules`; without these they are raw.

        Raises BuildError (`scheduler_core.config.errors`) with upstream's text for args that do not do.
        """
        return cls()


class WithHandle(Plugin):
    """A plugin that has no arguments and looks things up by its handle."""

    def __init__(self, handle: "Handle") -> None:
        self._handle = handle

    @classmethod
    def create(cls, args: Any, handle: "Handle") -> Self:
        return cls(handle)


class PreEnqueuePlugin(Plugin):
    @abstractmethod
    def pre_enqueue(self, pod: Pod) -> Status:
        """Success lets the pod into the active queue; anything else gates it."""


class QueueSortPlugin(Plugin):
    @abstractmethod
    def sort_key(self, pod: "QueuedPod") -> tuple[Any, ...]:
        """Smaller keys are popped first (upstream's Less, as a key)."""


class EnqueueExtensions(Plugin):
    @abstractmethod
    def events_to_register(self) -> Sequence[EventWithHint]:
        """The events that may make a pod schedulable again after this plugin rejected it."""


@dataclass(slots=True, frozen=True)
class PreFilterResult:
    """`node_names` narrows the nodes to these (they need not exist); None leaves all of them."""

    status: Status = SUCCESS
    node_names: frozenset[str] | None = None


class PreFilterPlugin(Plugin):
    @abstractmethod
    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        """Look at the whole cluster once; a Skip status means that this plugin's Filter need not run."""

    def pre_filter_stands(self, pod: Pod) -> bool:
        """Whether this is the same for all pods of the pod's template, as is what it leaves in the state, which nobody
        changes: as long as no node comes, changes or goes the plugin is then asked about the first one only."""
        return False

    def add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
        """Update the state for `pod` as if `added` ran on `node` too (nominated pods, preemption dry runs)."""
        return SUCCESS

    def remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
        """Update the state for `pod` as if `removed` no longer ran on `node`."""
        return SUCCESS


class FilterPlugin(Plugin):
    @abstractmethod
    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        """One verdict for each of `nodes`, each by itself: never depends on which other nodes are in the view."""


class PerNodeFilter(FilterPlugin):
    @abstractmethod
    def filter_node(self, state: CycleState, pod: Pod, node: NodeView) -> Status: ...

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return Verdicts.from_statuses([self.filter_node(state, pod, node) for node in nodes])


@dataclass(slots=True, frozen=True)
class PostFilterResult:
    """`nominated_node` None leaves the pod's nomination as it is, "" clears it."""

    status: Status
    nominated_node: str | None = None
    detail: Mapping[str, Any] | None = None
    """JSON-ready facts for the trace (preemption: candidates, victims, ties, cleared nominations)."""
    calls: Sequence[Mapping[str, Any]] = ()
    """Trace steps of the extenders that were called on the way."""


class PostFilterPlugin(Plugin):
    @abstractmethod
    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeStatuses) -> PostFilterResult:
        """Runs when no node is feasible; `statuses` says what each node answered."""


class PreScorePlugin(Plugin):
    @abstractmethod
    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        """`nodes` are the feasible ones; Skip means that this plugin gives no score at all."""

    def pre_score_stands(self, pod: Pod) -> bool:
        """As `pre_filter_stands`."""
        return False


class ScorePlugin(Plugin):
    """A raw score that reads no more than its row may also depend on the node objects of the whole cluster."""

    normalizes: ClassVar[bool] = False
    zero_if_skipped: ClassVar[bool] = False
    """It gives 0 to every node, normalised or not, where its own PreFilter had nothing to do: nobody need ask it."""

    @abstractmethod
    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        """Raw int64 score of each node; any range if `normalizes`, else 0 to 100."""

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        """Scores brought to 0…100; only called if `normalizes`. Returns a new column."""
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
        """Undo; must also work when reserve was never called or failed."""


@dataclass(slots=True, frozen=True)
class PermitResult:
    """`timeout` in seconds of virtual time; only read when the status is Wait."""

    status: Status = SUCCESS
    timeout: float = 0.0


class PermitPlugin(Plugin):
    @abstractmethod
    def permit(self, state: CycleState, pod: Pod, node_name: str) -> PermitResult: ...


class PreBindPlugin(Plugin):
    @abstractmethod
    def pre_bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        """Wait: `look` is asked every few seconds from now on, until `patience` seconds are over."""

    @property
    def patience(self) -> float:
        return 0.0

    def look(self, state: CycleState, pod: Pod, now: float) -> Status:
        """Whether the pod can go on as things are, were it `now`; with all else equal it stays so. Changes nothing."""
        return SUCCESS

    def gave_up(self) -> Status:
        """How it ends when patience is over."""
        return Status.error("context deadline exceeded")


class BindPlugin(Plugin):
    @abstractmethod
    def bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        """Skip hands over to the next bind plugin."""


class PostBindPlugin(Plugin):
    @abstractmethod
    def post_bind(self, state: CycleState, pod: Pod, node_name: str) -> None: ...


# The class that stands for each point that a configuration can name, in the order of the points.
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
