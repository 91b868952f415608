"""Stopwatch: time per plugin, measured with a clock from the caller. No decision or record depends on it."""

from collections.abc import Callable

# Seconds.
Clock = Callable[[], float]


class Stopwatch:
    """The seconds that each plugin took at an extension point whose trace steps are added at its end."""

    __slots__ = ("_spent", "clock")

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._spent: dict[str, float] = {}

    def note(self, plugin: str, since: float) -> None:
        self._spent[plugin] = self._spent.get(plugin, 0.0) + self.clock() - since

    def pop_spent(self) -> dict[str, float]:
        """Return the seconds by plugin since the last call, and reset them."""
        spent, self._spent = self._spent, {}
        return spent
