"""How much the expressions in CEL of one write may take, all together.

Upstream estimates what each costs; here it is the most that each can come to. Who is refused by it is told upstream's
words.
"""

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

    def allows(self, expression: str, values: int, length: int) -> bool:
        """Whether there is room to run it over so many values, whose text has this length; then it is taken."""
        cost = _EACH + expressions.steps(expression, values, length)
        if length > _LONGEST or cost > min(self._left, _MOST_OF_ONE):
            return False
        self._left -= cost
        return True
