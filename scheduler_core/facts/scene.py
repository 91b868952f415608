"""Scene: one attempt with all that it found out, and the cluster still as the attempt met it."""

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
    """No node of that name was there when the attempt ran."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"there is no node {self.name!r} in this cycle"


class PluginScores(NamedTuple):
    """One plugin's columns over the feasible nodes."""

    weight: int
    raw: IntColumn
    normalized: IntColumn


@dataclass(slots=True, frozen=True)
class Scene:
    """`profile` and `framework` are the attempt's; nothing may have been written to the cluster since it ran."""

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
        """All nodes, in the order of their creation."""
        return Nodes(self.attempt.nodes.table)

    @property
    def lister(self) -> Lister:
        return self.framework.handle.lister

    def args(self, plugin: str, kind: type[Args]) -> Args:
        """The plugin's args, defaulted; the defaults of `kind` where the emulated version has none for it."""
        found: Any = self.profile.plugin_args.get(plugin)
        return kind() if found is None else found

    def node(self, name: str) -> NodeView:
        """Raises UnknownNodeError."""
        found = self.nodes.find(name)
        if found is None:
            raise UnknownNodeError(name)
        return found

    def scored_node(self, name: str) -> NodeView | None:
        """The node as it was scored (an extender may have returned it without its pods), None if it was not."""
        feasible = self.attempt.feasible
        if feasible is None or self.attempt.totals is None:
            return None
        row = feasible.table.rows.get(name)
        return None if row is None or row not in feasible.row_numbers else NodeView(feasible.table, row)

    def position(self, name: str) -> int:
        """Of a scored node in the columns of scores."""
        assert self.attempt.feasible is not None
        return self.attempt.feasible.names.index(name)

    def scores(self, plugin: str) -> PluginScores | None:
        """None if the plugin gave none."""
        found = self.attempt.scores
        if plugin not in found.plugins:
            return None
        i = found.plugins.index(plugin)
        return PluginScores(found.weights[i], found.raw[i], found.normalized[i])
