"""One of the documents of a text, as plain values."""

import re
from dataclasses import dataclass
from typing import Any

_NEXT_DOCUMENT = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_BARE_START = re.compile(r"---[ \t]*(#.*)?\n")


@dataclass(slots=True)
class Document:
    """`has_duplicates`: somewhere in it a key is given twice (the last one was kept).

    `span` is its place in the text, if that is JSON.
    """

    value: Any
    line: int
    has_duplicates: bool
    span: tuple[int, int] | None = None


def slice_of(text: str, document: Document) -> tuple[str, int]:
    """A document's own text, and how many lines of the text come before it."""
    if document.span is not None:
        return text[slice(*document.span)], document.line - 1
    start = _line_start(text, document.line)
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
