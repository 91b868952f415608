"""Data as files for people: YAML or JSON."""

import json
from typing import Any

from scheduler_core.objects.yaml_writer import dump_yaml


def write(data: dict[str, Any], form: str) -> str:
    """`data` as text; `form` is "yaml" or "json"."""
    if form == "json":
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return dump_yaml(data)


def write_items(items: list[dict[str, Any]]) -> str:
    """Items of a list at the top of a YAML document, where no list is indented."""
    return dump_yaml(items)
