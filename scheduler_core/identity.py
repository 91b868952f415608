"""What is worked out once for each thing that nobody changes, however often it is asked for."""

from collections.abc import Callable
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class ByIdentity(Generic[Given, Made]):
    """Gives for the very same thing the very same answer. Remembered are at most `most` things, which are kept alive,
    so that the id of each stays its own."""

    def __init__(self, make: Callable[[Given], Made], most: int) -> None:
        self._make, self._most = make, most
        self._known: dict[int, tuple[Given, Made]] = {}

    def __call__(self, given: Given) -> Made:
        known = self._known.get(id(given))
        if known is None:
            if len(self._known) >= self._most:
                # Simulations in several threads share it: to look for the oldest and take it out would be two steps.
                self._known.clear()
            known = self._known[id(given)] = given, self._make(given)
        return known[1]
