"""The work that all CEL expressions of one write may take together.

Source: apiserver/pkg/apis/cel/config.go (PerCallLimit, RuntimeCELCostBudget). Upstream counts the work while it
evaluates. Here a bound of it is calculated before, and an expression above the limit isn't evaluated.
"""

from collections.abc import Callable, Mapping
from typing import Any

from kube_objects import expressions
from kube_objects.cel import extents, narrowing, work
from kube_objects.text.errors import SelectorError

OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run"
CALL_LIMIT = "operation cancelled: actual cost limit exceeded"
# In units of `kube_objects.cel.work`: 0.4 s and 1.6 s.
_MOST_OF_ONE, _MOST = work.MOST_OF_ONE, 4 * work.MOST_OF_ONE
_MOST_OF_A_CONSTANT = 50_000
# The cost of preparing an evaluation, and of copying a value for the library.
_EACH, _GIVEN, _TEXT_PER_UNIT = 400, 12, 250
_NONE: Mapping[str, Callable[..., Any]] = {}


def constant_type(expression: str) -> str:
    """Return the type of an expression without variables; "" if its evaluation could be expensive, or it fails."""
    try:
        work.units(expression, {}, extents.Measure(), _MOST_OF_A_CONSTANT)
    except work.CostlyError:
        return ""
    return expressions.constant_type(expression)


class OutOfBudgetError(Exception):
    """The budget is spent, and no further expression is evaluated."""

    def __init__(self) -> None:
        super().__init__(OUT_OF_BUDGET)


class Budget:
    """The work that the expressions of one write may still do."""

    def __init__(self) -> None:
        self._left = _MOST
        self._measure = extents.Measure()

    def value(
        self, expression: str, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]] = _NONE
    ) -> Any:
        """Evaluate an expression. Raise SelectorError, or OutOfBudgetError when no expression may follow."""
        if self._left <= 0:
            raise OutOfBudgetError
        narrowed = narrowing.narrowed(expression, variables)
        try:
            units = self._units(expression, narrowed)
        except work.CostlyError:
            # Upstream has counted as much when it stops the evaluation.
            self._left -= _MOST_OF_ONE
            raise SelectorError(CALL_LIMIT) from None
        if units > self._left:
            self._left = 0
            raise OutOfBudgetError
        self._left -= units
        return expressions.value(expression, narrowed, functions)

    def _units(self, expression: str, variables: Mapping[str, Any]) -> int:
        units = _EACH
        for value in variables.values():
            extent = self._measure.extent(value)
            units += _GIVEN * extent.values + extent.text // _TEXT_PER_UNIT
        if units > _MOST_OF_ONE:
            raise work.CostlyError
        return units + work.units(expression, variables, self._measure, _MOST_OF_ONE - units)
