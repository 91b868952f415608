"""Results of kubectl commands: exit status and output, also of commands that partly failed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kube_controllers.api import WriteRefused
from tests.conformance.controllers.arguments import Fault

T = TypeVar("T")
Problem = WriteRefused | Fault


@dataclass(slots=True)
class Answer:
    code: int = 0
    out: str = ""
    err: str = ""


class InPart(Exception):  # noqa: N818
    """Raised if a command partly failed, with the output of its done part and the errors of the rest."""

    def __init__(self, out: str, errors: Sequence[Problem]) -> None:
        self.out, self.errors = out, errors
        super().__init__(out)


def for_all(items: Iterable[T], act: Callable[[T], str], errors: Sequence[Problem] = ()) -> str:
    """Apply `act` to all items; the refusal of one doesn't stop the others. Source: ContinueOnError.

    `errors` are those so far. Raises the only error, or InPart.
    """
    out, found = "", list(errors)
    for one in items:
        try:
            out += act(one)
        except (WriteRefused, Fault) as error:
            found.append(error)
    if len(found) == 1 and not out:
        raise found[0]
    if found:
        raise InPart(out, found)
    return out


def message_of(error: Problem) -> str:
    return f"Error from server ({error.reason}): {error.message}" if isinstance(error, WriteRefused) else str(error)
