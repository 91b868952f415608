"""Comparison of an answer with the expected one: the smallest difference, by path."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MISSING = "(absent)"


@dataclass(slots=True, frozen=True)
class Difference:
    path: str
    want: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path}: want {_short(self.want)}, got {_short(self.got)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}…"


def first_difference(want: Any, got: Any) -> Difference | None:
    """Return the first leaf that differs, in document order. Types count, so 1 and True differ."""
    return next(_differences(want, got, ""), None)


def _differences(want: Any, got: Any, path: str) -> Iterator[Difference]:
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        for key in [*want, *(key for key in got if key not in want)]:
            where = f"{path}.{key}" if path else str(key)
            if key not in got:
                yield Difference(where, want[key], MISSING)
            elif key not in want:
                yield Difference(where, MISSING, got[key])
            else:
                yield from _differences(want[key], got[key], where)
    elif isinstance(want, list) and isinstance(got, list):
        for i, (left, right) in enumerate(zip(want, got, strict=False)):
            yield from _differences(left, right, f"{path}[{i}]")
        if len(want) != len(got):
            yield Difference(f"{path}.length", len(want), len(got))
    elif type(want) is not type(got) or want != got:
        yield Difference(path, want, got)
