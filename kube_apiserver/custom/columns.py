"""The additional printer columns of a CRD.

Source: apiextensions-apiserver/pkg/registry/customresource/tableconvertor.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kube_apiserver.reads.cells import since
from kube_apiserver.resources import Resource

_STEP = re.compile(
    r"\.((?:[^.\[\]\\]|\\.)+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]"
    r"|\[\?\(@\.(\w+)==[\"']([^\"']*)[\"']\)\]"
)


def cells(resource: Resource, value: Mapping[str, Any], now: datetime) -> list[Any]:
    """Return the cells after the name."""
    assert resource.custom is not None
    row = []
    for column, path in zip(resource.columns[1:], resource.custom.paths, strict=True):
        cell = value_at(value, path)
        if column["type"] == "date":
            cell = None if cell is None else since(cell, now)
        elif isinstance(cell, dict | list):
            cell = str(cell)
        row.append(cell)
    return row


def value_at(value: Any, path: str) -> Any:
    """Return the value at a simple JSONPath (fields, indexes, `[?(@.type=="Ready")]`), or None."""
    end = 0
    while end < len(path):
        step = _STEP.match(path, end)
        if step is None:
            return None
        end = step.end()
        name, number, quoted, key, wanted = step.groups()
        if name is not None or quoted is not None:
            value = value.get(re.sub(r"\\(.)", r"\1", name or quoted)) if isinstance(value, dict) else None
        elif number is not None:
            value = value[int(number)] if isinstance(value, list) and int(number) < len(value) else None
        else:
            items = value if isinstance(value, list) else ()
            value = next((each for each in items if isinstance(each, dict) and each.get(key) == wanted), None)
    return value
