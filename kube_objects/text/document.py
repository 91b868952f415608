"""A document of a YAML or JSON text, as plain values."""

import re
from dataclasses import dataclass
from typing import Any

_NEXT_DOCUMENT = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_BARE_START = re.compile(r"---[ \t]*(#.*)?\n")


@dataclass(slots=True, frozen=True)
class Part:
    """A part of a text in one format: one JSON value, or all YAML documents from `start` on.

    `first` is the number, from 1, of the first document in it. `lines_before` counts the lines before `start`.
    """

    start: int
    end: int
    lines_before: int
    is_json: bool
    first: int


@dataclass(slots=True)
class Document:
    """A document. `has_duplicates`: a key in it is repeated, and the last value was used.

    `part` is the part of the text with the document; None if the whole text is YAML.
    """

    value: Any
    line: int
    has_duplicates: bool
    part: Part | None = None


def slice_of(text: str, document: Document) -> tuple[str, int]:
    """Return a document's own text, and how many lines of the text come before it."""
    part = document.part
    if part is not None and part.is_json:
        return text[part.start : part.end], part.lines_before
    start = max(_line_start(text, document.line), part.start if part else 0)
    skipped = 0
    if (bare := _BARE_START.match(text, start)) is not None:
        start, skipped = bare.end(), 1
    following = _NEXT_DOCUMENT.search(text, start + 1)
    # The reader's first document may begin on the very line of its mark: `--- {…}`.
    return text[start : following.start() if following else len(text)], document.line - 1 + skipped


def _line_start(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.index("\n", at) + 1
    return at
