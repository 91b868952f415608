"""Problems of refused requests, as the HTTP API returns them (docs/reference/http-api.md)."""

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

    - `type` is Kubernetes' type of a field error, if it is not FieldValueInvalid.
    - `supported` are the values that the field may have.
    - `field` is the path as Kubernetes prints it, if it differs from `path`.

    A problem that one process sends to another also has `said`: the untranslated sentences of `rule` and `hint`.
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
    """The body of a refusal. With the options `offers` the request would succeed, and delete what `lost` describes."""

    problems: list[Problem]
    offers: NotRequired[list[str]]
    lost: NotRequired[list[str]]


class Refused(Exception):  # noqa: N818  it says what happened, as Django's own Http404 does
    """A refused request, which has changed nothing. `status` is the HTTP status of the response.

    With the options `offers` the same request would succeed, and delete what `lost` describes.
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


def to_api_problem(engine_problem: problems.Problem) -> Problem:
    """Convert a problem of the engine (of an object, a configuration or a command)."""
    return _new_problem(
        {
            "path": engine_problem.path,
            "value": _value(engine_problem.value),
            "rule": engine_problem.rule,
            "hint": engine_problem.hint,
            "document": engine_problem.document,
            "line": engine_problem.line,
            "file": engine_problem.file,
            "conflict": engine_problem.is_conflict or None,
            "type": None if engine_problem.type is problems.ErrorType.INVALID else engine_problem.type.value,
            "supported": list(engine_problem.supported) or None,
            "field": engine_problem.field,
        }
    )


def to_engine_problem(stored: Mapping[str, Any]) -> problems.Problem:
    """Convert a problem of the API back to one of the engine. Sentences and long values stay text."""
    return problems.Problem(
        stored["path"],
        stored.get("value"),
        stored["rule"],
        type=problems.ErrorType(stored.get("type", problems.ErrorType.INVALID)),
        supported=stored.get("supported", ()),
        field=stored.get("field", ""),
    )


def list_api_problems(error: CommandError | problems.ObjectError | ConfigError) -> list[Problem]:
    """Return the problems of an engine's error for the API: at most MOST_PROBLEMS, and one that counts the rest."""
    converted = [to_api_problem(each) for each in error.problems]
    if len(converted) > MOST_PROBLEMS:
        rest = problem("", say("{n} more problems are not listed", n=len(converted) - MOST_PROBLEMS))
        converted = [*converted[:MOST_PROBLEMS], rest]
    return converted


def _value(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return value if isinstance(value, str) and len(value) <= 80 else problems.shown(value)


def _new_problem(fields: Mapping[str, Any]) -> Problem:
    """Return a problem with the path, the rule and all other fields that are not empty."""
    filled = {name: value for name, value in fields.items() if name in ("path", "rule") or value not in (None, "")}
    sentences = {name: data for name in ("rule", "hint") if (data := data_of(fields[name])) is not None}
    return cast(Problem, filled | {"said": sentences} if sentences else filled)
