"""The types of a plugin's explanations: facts of its filter, arithmetic of its score."""

from collections.abc import Callable
from dataclasses import dataclass

from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation
from scheduler_core.facts.fact import Fact
from scheduler_core.framework.cycle_state import CycleState

Facts = Callable[[AttemptContext, CycleState, NodeView], list[Fact]]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The explanation of a score.

    `normalized` is None if raw scores are final; `strategy` returns the strategy's name.
    """

    raw: Callable[[AttemptContext, NodeView], Calculation]
    normalized: Callable[[AttemptContext, NodeView, int, IntColumn], Calculation] | None = None
    strategy: Callable[[AttemptContext], str] | None = None
