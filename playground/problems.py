"""What is wrong with a request, in the form of docs/api.md, whoever found it."""

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict, cast

from kube_objects.sentences import data_of, say
from kube_objects.text import problems
from playground.shapes import named
from scheduler_core.config import ConfigError
from simulator.simulation import CommandError

MOST_PROBLEMS = 200


@named("ProblemAnswer")
class Problem(TypedDict):
    """As the API gives it. As it is stored and handed on `said` has the sentences that rule and hint are, by name.

    `type` is upstream's type of a field's error, if it is not FieldValueInvalid; `supported` the values that a field
    may have; `field` the path as upstream prints it, if it is another.
    """

    path: str
    value: NotRequired[Any]
    rule: str
    hint: NotRequired[str]
    document: NotRequired[int]
    line: NotRequired[int]
    file: NotRequired[str]
    conflict: NotRequired[bool]
    type: NotRequired[str]
    supported: NotRequired[list[str]]
    field: NotRequired[str]


class Problems(TypedDict):
    """`offers`: options with which the same request would be carried out; `lost`: what that loses."""

    problems: list[Problem]
    offers: NotRequired[list[str]]
    lost: NotRequired[list[str]]


class Refused(Exception):  # noqa: N818  it says what happened, as Django's own Http404 does
    """A request that is not carried out; nothing was changed. `status` is the HTTP status to say so with.

    `offers` are options of the same request with which it would be carried out, `lost` what they lose.
    """

    def __init__(
        self, problems: Iterable[Problem], status: int = 400, offers: Iterable[str] = (), lost: Iterable[str] = ()
    ) -> None:
        self.problems = list(problems)
        self.status = status
        self.offers = list(offers)
        self.lost = list(lost)
        super().__init__("; ".join(f"{problem['path']}: {problem['rule']}" for problem in self.problems))

    def __reduce__(self) -> tuple[type["Refused"], tuple[Any, ...]]:
        """As it was, on the other side of a process."""
        return Refused, (self.problems, self.status, self.offers, self.lost)


def problem(path: str, rule: str, value: object = None, hint: str = "") -> Problem:
    """One problem; absent parts are left out."""
    return _made({"path": path, "value": _value(value), "rule": rule, "hint": hint})


def of_found(found: problems.Problem) -> Problem:
    """A problem that the engine found in an object, a configuration or a command."""
    return _made(
        {
            "path": found.path,
            "value": _value(found.value),
            "rule": found.rule,
            "hint": found.hint,
            "document": found.document,
            "line": found.line,
            "file": found.file,
            "conflict": found.is_conflict or None,
            "type": None if found.type is problems.ErrorType.INVALID else found.type.value,
            "supported": list(found.supported) or None,
            "field": found.field,
        }
    )


def as_found(stored: Mapping[str, Any]) -> problems.Problem:
    """Return the problem that `of_found` made this of; sentences and long values are text by now."""
    return problems.Problem(
        stored["path"],
        stored.get("value"),
        stored["rule"],
        type=problems.ErrorType(stored.get("type", problems.ErrorType.INVALID)),
        supported=stored.get("supported", ()),
        field=stored.get("field", ""),
    )


def of_error(error: CommandError | problems.ObjectError | ConfigError) -> list[Problem]:
    """The problems of an error that the engine raised; very many of them are cut, and that is said."""
    found = [of_found(each) for each in error.problems]
    if len(found) > MOST_PROBLEMS:
        found = [
            *found[:MOST_PROBLEMS],
            problem("", say("{n} more problems are not listed", n=len(found) - MOST_PROBLEMS)),
        ]
    return found


def _value(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return value if isinstance(value, str) and len(value) <= 80 else problems.shown(value)


def _made(fields: Mapping[str, Any]) -> Problem:
    """Path and rule always stay; of the others what says nothing is left out."""
    given = {name: value for name, value in fields.items() if name in ("path", "rule") or value not in (None, "")}
    sentences = {name: data for name in ("rule", "hint") if (data := data_of(fields[name])) is not None}
    return cast(Problem, given | {"said": sentences} if sentences else given)
