"""Which priority class pods without one get. Source: plugin/pkg/admission/priority, getDefaultPriorityClass."""

from collections.abc import Callable, Iterable
from typing import TypeVar

C = TypeVar("C")


def default_class(marked: Iterable[C], value_and_name: Callable[[C], tuple[int, str]]) -> C | None:
    """Of those marked as globalDefault, where a race or an import brought several, the one with the lowest value."""
    return min(marked, key=value_and_name, default=None)
