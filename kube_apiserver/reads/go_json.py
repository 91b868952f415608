"""JSON in the format of Go's encoder."""

import json
from typing import Any

from kube_objects.text.go import json_text

_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_INDENTED = json.JSONEncoder(indent=2, ensure_ascii=False).encode


def compact(value: Any) -> str:
    return json_text(_COMPACT(value))


def indented(value: Any) -> str:
    return json_text(_INDENTED(value))
