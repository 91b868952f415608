"""What is wrong with an input: where, which value, which rule, what would be right."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

_SHOWN_VALUE = 80


@dataclass(slots=True, frozen=True)
class Problem:
    """One broken rule. Where a text was read `document` and `line` (both from 1) are given, of several also `file`.

    `path` is "" for the whole document; `text` is what upstream prints, where that is not `path: rule`. `is_conflict`:
    somebody else has changed the same field.
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

    @property
    def upstream(self) -> str:
        """The text that the real program prints."""
        return self.text or f"{self.path}: {self.rule}"

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
    """The value as JSON, shortened; "" for an absent one."""
    if value is None:
        return ""
    if isinstance(value, str) and len(value) > _SHOWN_VALUE:
        return json.dumps(value[:_SHOWN_VALUE] + "…", ensure_ascii=False)
    if isinstance(value, dict | list | tuple):
        part = "key" if isinstance(value, dict) else "item"
        return f"({'a mapping' if part == 'key' else 'a list'} of {len(value)} {part}{'' if len(value) == 1 else 's'})"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_VALUE + 2 else text[:_SHOWN_VALUE] + "…"
