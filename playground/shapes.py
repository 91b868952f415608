"""What answers are made of: a selector says its answer as a TypedDict, from which the API's document is made.

A dataclass of the engine that goes out as it is serves as well; `Annotated[Shape, "Name"]` says how the document calls
it, `Annotated[int, About(…)]` what it says besides the type, and `Annotated[dict[str, Any], Form]` that a form takes
the same in.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, is_dataclass
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

Shape = TypeVar("Shape", bound=type)

Moment = Annotated[str, "date-time"]
"""A time as ISO 8601 has it."""
Anything = Any
"""A Kubernetes object, or a record of docs/trace_format.md."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What the document says of a value besides its type."""

    text: str | None = None
    at_least: int | None = None
    at_most: int | None = None
    longest: int | None = None


_NAMES: dict[type, str] = {}


def named(name: str) -> Callable[[Shape], Shape]:
    """What the document calls a shape, where its class has another name."""

    def remember(shape: Shape) -> Shape:
        _NAMES[shape] = name
        return shape

    return remember


def name_of(shape: type) -> str:
    return _NAMES.get(shape, shape.__name__)


def plain(value: Any) -> Any:
    """JSON-ready: the dataclasses within an answer as what they hold."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


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
