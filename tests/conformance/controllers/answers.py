"""What kubectl answers: its exit status and what it says, also where only some of it could be done."""

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
    """Some of it was done: what was said of that, and what was refused of the rest."""

    def __init__(self, out: str, errors: Sequence[Problem]) -> None:
        self.out, self.errors = out, errors
        super().__init__(out)


def for_all(items: Iterable[T], act: Callable[[T], str], errors: Sequence[Problem] = ()) -> str:
    """What is refused of one does not keep the others from being done. Source: ContinueOnError.

    `errors` are those of before. Raises the only one, or InPart.
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
