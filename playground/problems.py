"""The problems of a refused request, in the form of docs/reference/http-api.md."""

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict, cast

from kube_objects.sentences import data_of, say
from kube_objects.text import problems
from playground.response_types import named
from scheduler_core.config import ConfigError
from simulator.simulation import CommandError

MOST_PROBLEMS = 200


@named("ProblemAnswer")
class Problem(TypedDict):
    """A problem as the API returns it.

    `type` is Kubernetes' type of a field error, if it is not FieldValueInvalid; `supported` are the values that a field
    may have; `field` is the path as Kubernetes prints it, if it differs. Between processes a problem also has `said`:
    the untranslated sentences of `rule` and `hint`, by name.
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
    """The body of a refusal. `offers`: options with which the request would succeed; `lost`: their consequences."""

    problems: list[Problem]
    offers: NotRequired[list[str]]
    lost: NotRequired[list[str]]


class Refused(Exception):  # noqa: N818  it says what happened, as Django's own Http404 does
    """A refused request, which has changed nothing. `status` is the HTTP status of the response.

    `offers`: options with which the same request would succeed; `lost`: what they would delete.
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
        """Return how to rebuild this exception in another process."""
        return Refused, (self.problems, self.status, self.offers, self.lost)


def problem(path: str, rule: str, value: object = None, hint: str = "") -> Problem:
    """Return a problem without its empty parts."""
    return _new_problem({"path": path, "value": _value(value), "rule": rule, "hint": hint})


def of_found(found: problems.Problem) -> Problem:
    """Convert a problem of the engine (of an object, a configuration or a command)."""
    return _new_problem(
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
    """Convert the problems of an error of the engine, at most MOST_PROBLEMS and one that counts the rest."""
    converted = [of_found(found) for found in error.problems]
    if len(converted) > MOST_PROBLEMS:
        rest = problem("", say("{n} more problems are not listed", n=len(converted) - MOST_PROBLEMS))
        converted = [*converted[:MOST_PROBLEMS], rest]
    return converted


def _value(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return value if isinstance(value, str) and len(value) <= 80 else problems.shown(value)


def _new_problem(fields: Mapping[str, Any]) -> Problem:
    """Return a problem with path, rule and the non-empty of the other fields."""
    filled = {name: value for name, value in fields.items() if name in ("path", "rule") or value not in (None, "")}
    sentences = {name: data for name in ("rule", "hint") if (data := data_of(fields[name])) is not None}
    return cast(Problem, filled | {"said": sentences} if sentences else filled)
