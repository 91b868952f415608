"""Question: a pod that has no node, one node, and a plugin that says no; what a rule is asked, and what it answers."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.config.types import Profile
from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edit, Edits
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Lister
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Status

Args = TypeVar("Args")
Found = TypeVar("Found")


# More pods than any node has: that others leave is no way to mend it.
NEVER_ENOUGH = 1 << 20


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that keeps the pod out. Any one of `options` mends it, or is a part of what does.

    `leave`: if other pods were to leave to mend it, at least so many; `besides` is what else it costs then, at least.
    `evictable` false: whoever is evicted from the node, it stays. `about` tells the needs of a plugin apart.
    """

    plugin: str
    options: tuple[Edits, ...]
    leave: int = 1
    about: str = ""
    besides: int = 0
    evictable: bool = True

    @property
    def is_hopeless(self) -> bool:
        """Nothing mends it, neither who leaves nor who is evicted."""
        return not self.options and not self.evictable and self.leave >= NEVER_ENOUGH


@dataclass(slots=True)
class Question:
    """The cluster is as it is with what has been put together so far. `node` is None where `plugin` rejects the pod as
    a whole. Nothing may be written.
    """

    plugin: str
    status: Status
    pod: Pod
    node: NodeView | None
    nodes: Nodes
    state: CycleState
    framework: ProfileFramework
    profile: Profile
    lister: Lister
    prices: Prices
    others: bool = True
    """Whether other pods may be touched. That is asked later, as it takes long to find out who may go where."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """What was found out for one node and is the same for others: see `once`."""

    def once(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """`find()`, asked once for all nodes and rules; of the pod, the cluster and `key` alone, not of the node."""
        if key not in self.memo:
            self.memo[key] = find()
        found: Found = self.memo[key]
        return found

    def args(self, kind: type[Args]) -> Args:
        """The plugin's args, defaulted."""
        found: Any = self.profile.plugin_args.get(self.plugin)
        return kind() if found is None else found

    def need(
        self,
        *options: Iterable[Edit | None] | Edit | None,
        leave: int = 1,
        about: str = "",
        besides: int = 0,
        evictable: bool = True,
    ) -> Need:
        """Options without those that are locked, may not be made, or are there twice."""
        found: dict[Edits, None] = {}
        for option in options:
            edits = [option] if option is None or isinstance(option, Edit) else list(option)
            if edits and all(edit is not None and self.prices.allows(edit) for edit in edits):
                found[frozenset(edit for edit in edits if edit is not None)] = None
        return Need(self.plugin, tuple(found), leave, about, besides, evictable)


Rule = Callable[[Question], Sequence[Need]]


@runtime_checkable
class Repairs(Protocol):
    """A plugin of one's own that says what would mend its rejections: see docs/adding_a_plugin.md."""

    def repairs(self, question: Question) -> Sequence[Need]:
        """What keeps `question.pod` from `question.node`; `question.need(...)` makes one."""
