"""What is worked out once for each thing that nobody changes, however often it is asked for."""

from collections.abc import Callable
from typing import Any, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class Known:
    """Gives for the very same thing the very same answer. Remembered are at most `most` answers; what they are about is
    kept alive, so that the id of each stays its own."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[tuple[Any, int], tuple[Any, Any]] = {}

    def once(self, make: Callable[[Given], Made], given: Given) -> Made:
        at = make, id(given)
        known = self._known.get(at)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[at] = given, make(given)
        made: Made = known[1]
        return made
