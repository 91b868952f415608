"""What answers are made of: a selector says its answer as a TypedDict, from which the API's document is made."""

from collections.abc import Callable
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

Shape = TypeVar("Shape", bound=type)

Moment = Annotated[str, "date-time"]
"""A time as ISO 8601 has it."""
Anything = Any
"""A Kubernetes object, or a record of docs/trace_format.md."""

_NAMES: dict[type, str] = {}


def named(name: str) -> Callable[[Shape], Shape]:
    """What the document calls a shape, where its class has another name."""

    def remember(shape: Shape) -> Shape:
        _NAMES[shape] = name
        return shape

    return remember


def name_of(shape: type) -> str:
    return _NAMES.get(shape, shape.__name__)


class SentenceAnswer(TypedDict):
    """English, and what it is made of: a template to translate, and what to put into it."""

    text: str
    template: str
    args: dict[str, Anything]
    plural: NotRequired[str]
    count: NotRequired[int]


class AtMoment(TypedDict):
    """The record that an answer is of, and the cycle if one was asked for."""

    revision: int
    cycle: NotRequired[int]
