"""What a plugin says of its own decisions: the facts of a filter, the arithmetic of a score."""

from collections.abc import Callable
from dataclasses import dataclass

from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.calculation import Calculation
from scheduler_core.facts.fact import Fact
from scheduler_core.facts.scene import Scene
from scheduler_core.framework.cycle_state import CycleState

Facts = Callable[[Scene, CycleState, NodeView], list[Fact]]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`normalized` is None for plugins whose raw scores are final; `strategy` names the one that the args choose."""

    raw: Callable[[Scene, NodeView], Calculation]
    normalized: Callable[[Scene, NodeView, int, IntColumn], Calculation] | None = None
    strategy: Callable[[Scene], str] | None = None
