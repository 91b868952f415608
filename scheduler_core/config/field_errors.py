"""Problems with the messages of Kubernetes field errors. Source: apimachinery/pkg/util/validation/field/errors.go."""

from collections.abc import Iterable, Sequence

from kube_objects.text.go import json_string, quote
from kube_objects.text.problems import Problem


class Shown(str):
    """A value that is printed unquoted, because Go prints it as JSON."""

    __slots__ = ()


def as_json(text: str) -> Shown:
    """Return a string of a named Go type, which is printed as JSON and not quoted as Go text."""
    return Shown(json_string(text))


def invalid(path: str, value: str | int, detail: str, hint: str = "") -> Problem:
    return Problem(path, None, f"Invalid value: {_show(value)}: {detail}", hint)


def not_supported(path: str, value: str, supported: Iterable[str], hint: str = "") -> Problem:
    """Return a NotSupported problem. `value` is of a named Go type in all uses."""
    names = ", ".join(quote(name) for name in supported)
    return Problem(path, None, f"Unsupported value: {json_string(value)}: supported values: {names}", hint)


def duplicate(path: str, value: str) -> Problem:
    return Problem(path, None, f"Duplicate value: {_show(value)}")


def required(path: str, detail: str = "") -> Problem:
    return Problem(path, None, f"Required value: {detail}" if detail else "Required value")


def forbidden(path: str, detail: str) -> Problem:
    return Problem(path, None, f"Forbidden: {detail}")


def child(path: str, name: str) -> str:
    """Return the path of a field; "" is the root."""
    return f"{path}.{name}" if path else name


def distinct(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems without duplicate messages, as upstream's ErrorList.ToAggregate does."""
    unique: dict[str, Problem] = {}
    for problem in problems:
        unique.setdefault(problem.upstream, problem)
    return list(unique.values())


def aggregate(problems: Sequence[Problem]) -> str:
    """Return several problems as one message. Source: apimachinery/pkg/util/errors aggregate.Error."""
    texts = list(dict.fromkeys(problem.upstream for problem in problems))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _show(value: str | int) -> str:
    if isinstance(value, Shown):
        return value
    return quote(value) if isinstance(value, str) else str(value)
