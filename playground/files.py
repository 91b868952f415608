"""Data as files for people: YAML, JSON, or tables as CSV."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.text.yaml_writer import dump_yaml

# What spreadsheets begin a formula with, or pass over before one; the wide forms count where they are typed.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def write(data: Mapping[str, Any], form: str) -> str:
    """`data` as text; `form` is "yaml" or "json"."""
    if form == "json":
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return dump_yaml(data)


def write_items(items: list[dict[str, Any]]) -> str:
    """Items of a list at the top of a YAML document, where no list is indented."""
    return dump_yaml(items)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV, in which no spreadsheet takes a user's text for a formula."""
    file = io.StringIO()
    # With these line ends both characters of one are quoted where they stand in a text.
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([_harmless(cell) for cell in head])
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return file.getvalue()


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
