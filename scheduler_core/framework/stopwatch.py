"""How long single plugins take, by a clock that is given. Nothing that is decided or recorded depends on it."""

from collections.abc import Callable

# Seconds.
Clock = Callable[[], float]


class Stopwatch:
    """What single plugins took at a point whose steps are told only when all of them have run."""

    __slots__ = ("_spent", "clock")

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._spent: dict[str, float] = {}

    def note(self, plugin: str, since: float) -> None:
        self._spent[plugin] = self._spent.get(plugin, 0.0) + self.clock() - since

    def take(self) -> dict[str, float]:
        """Seconds by plugin since it was taken the last time."""
        spent, self._spent = self._spent, {}
        return spent
