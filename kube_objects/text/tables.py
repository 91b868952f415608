"""Tables as CSV, in which no spreadsheet takes a user's text for a formula."""

import csv
from collections.abc import Callable, Sequence
from typing import IO, Any

# What spreadsheets begin a formula with, or pass over before one; the wide forms count where they are typed.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def row_writer(file: IO[str], line_end: str = "\r\n") -> Callable[[Sequence[Any]], None]:
    """Writes one row after another. With the usual line ends both characters of one are quoted within a text."""
    write = csv.writer(file, lineterminator=line_end).writerow
    return lambda row: write([_harmless(cell) for cell in row])


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
