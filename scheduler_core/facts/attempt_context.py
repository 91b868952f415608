"""AttemptContext: one attempt's data, and the cluster as it was during the attempt."""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.config.types import Profile
from scheduler_core.cycle.schedule_pod import Attempt
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Lister
from scheduler_core.framework.profile import ProfileFramework

Args = TypeVar("Args")


class UnknownNodeError(KeyError):
    """Raised if the attempt's snapshot has no node of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"there is no node {self.name!r} in this cycle"


class PluginScores(NamedTuple):
    """One plugin's scores over the feasible nodes."""

    weight: int
    raw: IntColumn
    normalized: IntColumn


@dataclass(slots=True, frozen=True)
class AttemptContext:
    """An attempt with its `profile` and `framework`. The cluster must be unchanged since the attempt ran."""

    profile: Profile
    framework: ProfileFramework
    attempt: Attempt

    @property
    def pod(self) -> Pod:
        return self.attempt.pod

    @property
    def state(self) -> CycleState:
        return self.attempt.state

    @property
    def nodes(self) -> Nodes:
        """Return all nodes, in the order of creation."""
        return Nodes(self.attempt.nodes.table)

    @property
    def lister(self) -> Lister:
        return self.framework.handle.lister

    def args(self, plugin: str, kind: type[Args]) -> Args:
        """Return the plugin's args, defaulted; the defaults of `kind` if the emulated version has none."""
        args: Any = self.profile.plugin_args.get(plugin)
        return kind() if args is None else args

    def node(self, name: str) -> NodeView:
        """Return the node. Raises UnknownNodeError."""
        node = self.nodes.find(name)
        if node is None:
            raise UnknownNodeError(name)
        return node

    def scored_node(self, name: str) -> NodeView | None:
        """Return the node as it was scored (an extender may return it without its pods), or None if it wasn't
        scored.
        """
        feasible = self.attempt.feasible
        if feasible is None or self.attempt.totals is None:
            return None
        row = feasible.table.rows.get(name)
        return None if row is None or row not in feasible.row_numbers else NodeView(feasible.table, row)

    def position(self, name: str) -> int:
        """Return a scored node's position in the columns of scores."""
        assert self.attempt.feasible is not None
        return self.attempt.feasible.names.index(name)

    def scores(self, plugin: str) -> PluginScores | None:
        """Return the plugin's scores, or None if it gave none."""
        scores = self.attempt.scores
        if plugin not in scores.plugins:
            return None
        i = scores.plugins.index(plugin)
        return PluginScores(scores.weights[i], scores.raw[i], scores.normalized[i])
