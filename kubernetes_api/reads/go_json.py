"""JSON as Go's encoder writes it. Source: encoding/json, HTMLEscape."""

import json
import re
from typing import Any

# Signs that a page could take for its own, and ends of lines of JavaScript.
_SIGNS = re.compile("[<>&\u2028\u2029]")
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_INDENTED = json.JSONEncoder(indent=2, ensure_ascii=False).encode


def compact(value: Any) -> str:
    return _escaped(_COMPACT(value))


def indented(value: Any) -> str:
    return _escaped(_INDENTED(value))


def _escaped(text: str) -> str:
    return _SIGNS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
