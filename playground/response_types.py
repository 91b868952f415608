"""Types of API responses, from which the OpenAPI document is generated.

A selector declares its response as a TypedDict, or returns a dataclass of the engine. These annotations change the
document:

- `Annotated[Shape, "Name"]` sets the name of the type.
- `Annotated[int, About(…)]` adds a description and constraints.
- `Annotated[dict[str, Any], Form]` refers to the schema of the request that `Form` validates.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, is_dataclass
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

Shape = TypeVar("Shape", bound=type)

DateTime = Annotated[str, "date-time"]
"""A time in ISO 8601."""
Anything = Any
"""A Kubernetes object, or a record of docs/reference/commands-and-trace.md."""


@dataclass(frozen=True, kw_only=True)
class About:
    """A description and constraints of a value in the OpenAPI document."""

    text: str | None = None
    at_least: int | None = None
    at_most: int | None = None
    longest: int | None = None


_NAMES: dict[type, str] = {}


def named(name: str) -> Callable[[Shape], Shape]:
    """Set the name of a type in the OpenAPI document, if it differs from the class's name."""

    def set_name(shape: Shape) -> Shape:
        _NAMES[shape] = name
        return shape

    return set_name


def name_of(shape: type) -> str:
    return _NAMES.get(shape, shape.__name__)


def to_plain(value: Any) -> Any:
    """Return a response with its dataclasses converted to dicts, ready for JSON."""
    if isinstance(value, dict):
        return {name: to_plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


class SentenceAnswer(TypedDict):
    """A sentence: its English text, and the template and arguments for a translation."""

    text: str
    template: str
    args: dict[str, Anything]
    plural: NotRequired[str]
    count: NotRequired[int]


class AtRecord(TypedDict):
    """The sequence number of the last record that an answer includes, and the cycle, if the request had one."""

    revision: int
    cycle: NotRequired[int]
