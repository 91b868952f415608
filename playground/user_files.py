"""Data as files for users: YAML, JSON, or tables as CSV."""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_objects.text.tables import row_writer
from kube_objects.text.yaml_writer import dump_yaml


def write(data: Mapping[str, Any], form: str) -> str:
    """Return `data` as text; `form` is "yaml" or "json"."""
    if form == "json":
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return dump_yaml(data)


def write_items(items: list[dict[str, Any]]) -> str:
    """Return items of a list at the top of a YAML document, not indented."""
    return dump_yaml(items)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return CSV in which no spreadsheet reads a user's text as a formula."""
    file = io.StringIO()
    write_row = row_writer(file)
    for row in (head, *rows):
        write_row(row)
    return file.getvalue()
