"""How much the expressions in CEL of one write may take, all together.

Upstream estimates what each costs; here it is the most that each can come to, over what it may look at. Who is refused
by it is told upstream's words.
"""

import json
from collections.abc import Mapping
from typing import Any

from scheduler_core.objects import expressions

OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run"
_MOST, _MOST_OF_ONE = 4_000_000, 2_000_000
# What it takes to run any.
_EACH = 40
# Texts that expressions put together become variables of others.
_LONGEST = 8 << 20


class Budget:
    def __init__(self) -> None:
        self._left = _MOST
        # Each value is looked through once; it is kept, so that no other has its id.
        self._sizes: dict[int, tuple[Any, int, int]] = {}

    def allows(self, expression: str, variables: Mapping[str, Any]) -> bool:
        """Whether there is room to run it over these variables; then it is taken."""
        sizes = [self._size(each) for each in expressions.reached(expression, variables)]
        values, length = sum(values for values, _ in sizes), sum(length for _, length in sizes)
        cost = _EACH + expressions.steps(expression, values, length)
        if length > _LONGEST or cost > min(self._left, _MOST_OF_ONE):
            # As upstream: no further one is run, whatever it costs.
            self._left = 0
            return False
        self._left -= cost
        return True

    def _size(self, value: Any) -> tuple[int, int]:
        """How many values stand in it, and the length of its text."""
        if id(value) not in self._sizes:
            self._sizes[id(value)] = value, _count(value), len(json.dumps(value, default=str))
        _, values, length = self._sizes[id(value)]
        return values, length


def _count(value: Any) -> int:
    found, left = 0, [value]
    while left:
        each = left.pop()
        found += 1
        left += each.values() if isinstance(each, Mapping) else each if isinstance(each, list) else ()
    return found
