"""Question: a pending pod, a node, and the plugin that rejects it. Need: a reason for the rejection, with edits."""

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


# More pods than any node has: other pods that leave can't lift the rejection.
NEVER_ENOUGH = 1 << 20


@dataclass(frozen=True, slots=True)
class Need:
    """One reason why the pod doesn't fit, with the sets of edits that remove it, alone or together with others.

    `leave` is the least number of other pods that would have to leave instead, and `besides` the least additional cost
    of that. `evictable` False: evicting pods from the node doesn't help. `about` distinguishes the needs of one plugin.
    """

    plugin: str
    options: tuple[Edits, ...]
    leave: int = 1
    about: str = ""
    besides: int = 0
    evictable: bool = True

    @property
    def is_hopeless(self) -> bool:
        """Return True if no edit, no leaving pod and no eviction helps."""
        return not self.options and not self.evictable and self.leave >= NEVER_ENOUGH


@dataclass(slots=True)
class Question:
    """The question to a plugin's rule. The cluster includes the edits chosen so far; rules must not write to it.

    `node` is None if `plugin` rejects the pod before any node is evaluated.
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
    """True if other pods may be moved or deleted. The search allows it later, because it is expensive to compute."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """Results that are the same for all nodes: see `once`."""

    def once(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """Return `find()`, computed once for all nodes; it must depend on pod, cluster and `key` only."""
        if key not in self.memo:
            self.memo[key] = find()
        result: Found = self.memo[key]
        return result

    def args(self, kind: type[Args]) -> Args:
        """Return the plugin's args, defaulted."""
        args: Any = self.profile.plugin_args.get(self.plugin)
        return kind() if args is None else args

    def need(
        self,
        *options: Iterable[Edit | None] | Edit | None,
        leave: int = 1,
        about: str = "",
        besides: int = 0,
        evictable: bool = True,
    ) -> Need:
        """Return a need with the options that are allowed, without duplicates."""
        allowed: dict[Edits, None] = {}
        for option in options:
            edits = [option] if option is None or isinstance(option, Edit) else list(option)
            if edits and all(edit is not None and self.prices.allows(edit) for edit in edits):
                allowed[frozenset(edit for edit in edits if edit is not None)] = None
        return Need(self.plugin, tuple(allowed), leave, about, besides, evictable)


Rule = Callable[[Question], Sequence[Need]]


@runtime_checkable
class Repairs(Protocol):
    """An out-of-tree plugin with repairs of its rejections: see docs/contributing/write-a-plugin.md."""

    def repairs(self, question: Question) -> Sequence[Need]:
        """Return the reasons why `question.pod` doesn't fit on `question.node`, made by `question.need(...)`."""
