"""Typed reads from a manifest: each gives a value or notes a problem with its path.

A null counts as absent, as in the API server. Paths are put together only when there is something to report.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

from kube_objects import field_errors, names
from kube_objects.sentences import quoted, say
from kube_objects.text.paths import child as child  # what reads by path is one module to its users
from kube_objects.text.problems import Problem

Manifest = Mapping[str, Any]
Problems = list[Problem]

INT32, INT64 = 1 << 31, 1 << 63
_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLACES = 9
_NANOSECOND = Decimal(f"1e-{_PLACES}")
# One for all: most objects have several of them.
NONE: Mapping[str, Any] = {}


def text(parent: Manifest, key: str, path: str, problems: Problems, default: str = "") -> str:
    value = parent.get(key)
    if type(value) is str:
        return value
    if value is None:
        return default
    problems.append(not_a_string(child(path, key), value))
    return default


def required_text(parent: Manifest, key: str, path: str, problems: Problems, hint: str = "") -> str:
    value = text(parent, key, path, problems)
    if not value and (parent.get(key) is None or parent.get(key) == ""):
        problems.append(field_errors.required(child(path, key), hint))
    return value


def choice(parent: Manifest, key: str, path: str, problems: Problems, allowed: Sequence[str], default: str = "") -> str:
    """Return one of `allowed`; a missing or empty value gives the default."""
    value = text(parent, key, path, problems) or default
    if value and value not in allowed:
        problems.append(field_errors.not_supported(child(path, key), value, allowed))
    return value


def integer(
    parent: Manifest,
    key: str,
    path: str,
    problems: Problems,
    minimum: int = -INT32,
    maximum: int = INT32 - 1,
) -> int | None:
    value = parent.get(key)
    if value is None:
        return None
    if type(value) is not int:
        problems.append(Problem(child(path, key), value, quoted("must be an integer")))
        return None
    if not minimum <= value <= maximum:
        problems.append(
            Problem(
                child(path, key),
                value,
                quoted("must be between {least} and {most}, inclusive", least=minimum, most=maximum),
            )
        )
        return None
    return value


def boolean(parent: Manifest, key: str, path: str, problems: Problems) -> bool:
    value = parent.get(key)
    if value is None or type(value) is bool:
        return bool(value)
    problems.append(Problem(child(path, key), value, quoted("must be true or false")))
    return False


def mapping(parent: Manifest, key: str, path: str, problems: Problems) -> Manifest | None:
    value = parent.get(key)
    if value is None or type(value) is dict or isinstance(value, Mapping):
        return value
    problems.append(Problem(child(path, key), value, quoted("must be a mapping")))
    return None


def sequence(parent: Manifest, key: str, path: str, problems: Problems) -> Sequence[Any]:
    value = parent.get(key)
    if type(value) is list or isinstance(value, tuple):
        return value
    if value is not None:
        problems.append(Problem(child(path, key), value, quoted("must be a list")))
    return ()


def mappings(parent: Manifest, key: str, path: str, problems: Problems) -> Iterator[tuple[str, Manifest]]:
    """Return the mappings of a list, each with its path."""
    for index, value in enumerate(sequence(parent, key, path, problems)):
        item_path = f"{path}.{key}[{index}]" if path else f"{key}[{index}]"
        if type(value) is dict or isinstance(value, Mapping):
            yield item_path, value
        else:
            problems.append(Problem(item_path, value, quoted("must be a mapping")))


def texts(parent: Manifest, key: str, path: str, problems: Problems) -> tuple[str, ...]:
    """Return the strings of a list."""
    values = sequence(parent, key, path, problems)
    for index, value in enumerate(values):
        if type(value) is not str:
            problems.append(not_a_string(f"{child(path, key)}[{index}]", value))
            return ()
    return tuple(values)


def text_map(parent: Manifest, key: str, path: str, problems: Problems) -> Mapping[str, str]:
    """Return a mapping of strings to strings."""
    values = parent.get(key)
    if values is None:
        return NONE
    if type(values) is not dict and not isinstance(values, Mapping):
        problems.append(Problem(child(path, key), values, quoted("must be a mapping")))
        return NONE
    for name, value in values.items():
        if type(value) is not str or type(name) is not str:
            return _repaired(values, child(path, key), problems)
    return values


def label_map(parent: Manifest, key: str, path: str, problems: Problems) -> Mapping[str, str]:
    """Return a mapping of label keys to label values, with valid syntax."""
    labels = text_map(parent, key, path, problems)
    for name, value in labels.items():
        if rule := names.qualified_name(name):
            problems.append(Problem(child(path, key), name, rule))
        if rule := names.label_value(value):
            problems.append(Problem(child(child(path, key), name), value, rule))
    return labels


def timestamp(parent: Manifest, key: str, path: str, problems: Problems) -> float | None:
    """Return an RFC 3339 time as seconds since the Unix epoch."""
    value = parent.get(key)
    if value is None:
        return None
    seconds = parse_time(value) if type(value) is str and len(value) <= 64 else None
    if seconds is None:
        problems.append(Problem(child(path, key), value, say('must be an RFC 3339 time like "2025-06-01T00:00:00Z"')))
    return seconds


@lru_cache(maxsize=4096)
def parse_time(value: str) -> float | None:
    """Seconds since the Unix epoch, or None if the text is no RFC 3339 time."""
    match = _RFC3339.fullmatch(value)
    if match is None:
        return None
    whole, fraction, zone = match.groups()
    try:
        elapsed = datetime.fromisoformat(whole + zone) - _EPOCH
    except (ValueError, OverflowError):
        return None
    seconds = elapsed // timedelta(seconds=1)
    return float(seconds + Decimal(f"0.{fraction}")) if fraction else float(seconds)


@lru_cache(maxsize=4096)
def format_time(seconds: float) -> str:
    """Return the time in RFC 3339 with nanoseconds.

    Parsing it gives exactly `seconds` for this century and the next.
    """
    digits, point, behind = repr(seconds).partition(".")
    # As most are: nothing is to be rounded.
    if point and digits.isdigit() and behind.isdigit() and len(behind) <= _PLACES:
        behind = behind.rstrip("0")
        return f"{_to_the_second(int(digits))}{'.' if behind else ''}{behind}Z"
    whole, fraction = divmod(Decimal(repr(seconds)).quantize(_NANOSECOND), 1)
    if fraction < 0:
        whole, fraction = whole - 1, fraction + 1
    text = _to_the_second(int(whole))
    return f"{text}{f'{fraction:f}'[1:].rstrip('0')}Z" if fraction else f"{text}Z"


@lru_cache(maxsize=4096)
def _to_the_second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")


_NOT_A_STRING = quoted("must be a string")


def not_a_string(path: str, value: object) -> Problem:
    """Return the problem of a value that must be a string. `with_written` improves its hint where a text was read."""
    if isinstance(value, float):
        return Problem(path, value, _NOT_A_STRING, say("put it in quotes, as it was written"))
    if isinstance(value, int):
        return Problem(path, value, _NOT_A_STRING, say('quote it: "{value}"', value=json.dumps(value)))
    return Problem(path, value, _NOT_A_STRING)


def with_written(problem: Problem, written: str) -> Problem:
    """Return the problem with a hint that quotes a scalar as it is written: `1.10` is read as 1.1, `no` as false."""
    if problem.rule != _NOT_A_STRING or not isinstance(problem.value, int | float):
        return problem
    if not written:
        return replace(problem, hint=say("put it in quotes, as it was written"))
    read = json.dumps(problem.value)
    if written == read:
        return replace(problem, hint=say('quote it: "{value}"', value=written))
    rule = say('quote it: "{written}"; without quotes, YAML reads {value}', written=written, value=read)
    return replace(problem, hint=rule)


def _repaired(values: Mapping[Any, Any], path: str, problems: Problems) -> Mapping[str, str]:
    """Nulls as empty strings, as the API server reads them; everything else that is no string is a problem."""
    repaired = {}
    for name, value in values.items():
        if type(name) is not str:
            problems.append(Problem(path, name, quoted("keys must be strings"), say('quote it: "{name}"', name=name)))
        elif value is not None and type(value) is not str:
            problems.append(not_a_string(child(path, name), value))
        else:
            repaired[name] = value or ""
    return repaired
