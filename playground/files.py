"""Data as files for people: YAML, JSON, or tables as CSV."""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_objects.text.tables import row_writer
from kube_objects.text.yaml_writer import dump_yaml


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
    write_row = row_writer(file)
    for row in (head, *rows):
        write_row(row)
    return file.getvalue()
