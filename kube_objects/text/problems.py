"""A problem of an input: path, value, rule and hint."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

_SHOWN_VALUE = 80


class ErrorType(StrEnum):
    """The type of a field's error, by the reason that a Status gives. Source: field.ErrorType, metav1.CauseType."""

    INVALID = "FieldValueInvalid"
    REQUIRED = "FieldValueRequired"
    DUPLICATE = "FieldValueDuplicate"
    NOT_SUPPORTED = "FieldValueNotSupported"
    FORBIDDEN = "FieldValueForbidden"
    NOT_FOUND = "FieldValueNotFound"
    TOO_LONG = "FieldValueTooLong"
    TOO_MANY = "FieldValueTooMany"
    TYPE_INVALID = "FieldValueTypeInvalid"
    INTERNAL = "InternalError"


@dataclass(slots=True, frozen=True)
class Problem:
    """One broken rule. Where a text was read `document` and `line` (both from 1) are given, of several also `file`.

    `path` is "" for the whole document; `text` is what upstream prints, where that is not `path: rule`. `is_conflict`:
    another client has changed the same field. `supported`: the values that a field of type NOT_SUPPORTED may have.
    `field`: the path as upstream's field.Path prints it, if it differs from `path` (`requests[cpu]`).
    """

    path: str
    value: object
    rule: str
    hint: str = ""
    document: int | None = None
    line: int | None = None
    file: str = ""
    text: str = ""
    is_conflict: bool = False
    type: ErrorType = ErrorType.INVALID
    supported: Sequence[str] = ()
    field: str = ""

    @property
    def upstream(self) -> str:
        """Return the text that Kubernetes prints."""
        return self.text or f"{self.path}: {self.rule}"

    def below(self, prefix: str) -> "Problem":
        """Return the problem of an object that stands at `prefix`, which ends with a dot, inside another one."""
        return replace(self, path=prefix + self.path, field=self.field and prefix + self.field)

    def __str__(self) -> str:
        text = ": ".join(part for part in (self.path, shown(self.value), self.rule) if part)
        if self.hint:
            text = f"{text}; {self.hint}"
        place = [self.file] if self.file else []
        if self.document is not None:
            place.append(f"document {self.document}")
        if self.line is not None:
            place.append(f"line {self.line}")
        return f"{', '.join(place)}: {text}" if place else text


class ObjectError(ValueError):
    """An object that the API server would refuse; carries every problem found, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def shown(value: object) -> str:
    """Return the value as JSON, shortened; "" for an absent one."""
    if value is None:
        return ""
    if isinstance(value, str) and len(value) > _SHOWN_VALUE:
        return json.dumps(value[:_SHOWN_VALUE] + "…", ensure_ascii=False)
    if isinstance(value, dict | list | tuple):
        part = "key" if isinstance(value, dict) else "item"
        return f"({'a mapping' if part == 'key' else 'a list'} of {len(value)} {part}{'' if len(value) == 1 else 's'})"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_VALUE + 2 else text[:_SHOWN_VALUE] + "…"
