"""The JSON of a body, within bounds."""

import json
from typing import Any

from kubernetes_api import errors
from kubernetes_api.writes import decoding

MAX_DEPTH = 100


def read_json(body: bytes, kind: str = "") -> Any:
    """A body's JSON, within bounds; ApiError. `kind` is what it should be, "" for a patch."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as broken:
        raise errors.bad_request(decoding.go_error(body, broken, kind)) from broken
    if _depth(found, 0) > MAX_DEPTH:
        raise errors.bad_request(f"the object provided is nested deeper than {MAX_DEPTH} levels")
    return found


def _depth(value: Any, level: int) -> int:
    if level > MAX_DEPTH or not isinstance(value, dict | list):
        return level
    items = value.values() if isinstance(value, dict) else value
    return max((_depth(item, level + 1) for item in items), default=level)
