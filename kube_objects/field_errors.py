"""Problems of fields by type, as the page words them. Source: apimachinery/pkg/util/validation/field/errors.go."""

from collections.abc import Iterable, Sequence

from kube_objects.sentences import quoted, say
from kube_objects.text.hints import did_you_mean
from kube_objects.text.problems import ErrorType, Problem


def required(path: str, hint: str = "", field: str = "") -> Problem:
    return Problem(path, None, quoted("Required value"), hint, type=ErrorType.REQUIRED, field=field)


def duplicate(path: str, value: object) -> Problem:
    return Problem(path, value, quoted("duplicate value"), type=ErrorType.DUPLICATE)


def not_supported(path: str, value: str, supported: Sequence[str]) -> Problem:
    hint = did_you_mean(value, supported)
    return Problem(path, value, one_of(supported), hint, type=ErrorType.NOT_SUPPORTED, supported=supported)


def forbidden(path: str, detail: str, hint: str = "") -> Problem:
    return Problem(path, None, f"Forbidden: {detail}", hint, type=ErrorType.FORBIDDEN)


def one_of(supported: Iterable[str]) -> str:
    return say("must be one of {choices}", choices=", ".join(f'"{value}"' for value in supported))
