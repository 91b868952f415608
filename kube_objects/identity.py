"""A cache of results by the identity of an immutable argument."""

from collections.abc import Callable
from typing import Any, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class IdentityCache:
    """Results by function and argument instance, at most `most` of them.

    The cache keeps the arguments alive, so that their ids stay unique.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[tuple[Any, int], tuple[Any, Any]] = {}

    def once(self, make: Callable[[Given], Made], argument: Given) -> Made:
        cache_key = make, id(argument)
        known = self._known.get(cache_key)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[cache_key] = argument, make(argument)
        made: Made = known[1]
        return made
