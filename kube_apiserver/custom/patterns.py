"""Regular expressions of schemas, run by an engine whose time is linear in text and pattern.

The engine compiles a pattern at every use, so large patterns are not run, nor are patterns over very many texts.
"""

import math
import re
from typing import Any

from kube_objects import expressions
from kube_objects.text.errors import SelectorError

_MATCHES = "text.matches(pattern)"
_COUNTED = re.compile(r"\{(\d{1,9})(?:,(\d{0,9}))?\}")
_WIDE = re.compile(r"\\[wWdDsSpP]|\(\?i")
_OF_WIDE, _LONGEST, _HEAVIEST, _MOST = 20, 1000, 1000, 200_000


def matches(pattern: str, text: str) -> bool:
    """Return True if the pattern matches anywhere, or if the engine can't parse it."""
    try:
        return bool(expressions.value(_MATCHES, {"text": text, "pattern": pattern}))
    except SelectorError:
        return True


def weight(pattern: str) -> int:
    """Return the size of the compiled pattern, or 0 for one that is not run."""
    if len(pattern) > _LONGEST:
        return 0
    counts = [max(int(size[1]), int(size[2] or 0), 1) for size in _COUNTED.finditer(pattern)]
    # Nested counts multiply.
    size = math.prod(counts) if "){" in pattern else sum(counts)
    size = max(1, size) * (_OF_WIDE if _WIDE.search(pattern) else 1)
    return size if size <= _HEAVIEST else 0


def heaviest(schema: Any) -> int:
    """Return the weight of the heaviest pattern in a schema."""
    most, left = 0, [schema]
    while left:
        schema_part = left.pop()
        if not isinstance(schema_part, dict):
            continue
        pattern, properties = schema_part.get("pattern"), schema_part.get("properties")
        if isinstance(pattern, str):
            most = max(most, weight(pattern))
        if isinstance(properties, dict):
            left += properties.values()
        left += (schema_part.get(name) for name in ("items", "additionalProperties", "not"))
        for name in ("allOf", "anyOf", "oneOf"):
            left += schema_part.get(name) or ()
    return most


def are_too_much(value: Any, heaviest_pattern: int) -> bool:
    """Return True if the value has so many texts that matching would take too long."""
    texts, left = 0, [value]
    while left and texts * heaviest_pattern <= _MOST:
        part = left.pop()
        if isinstance(part, str):
            texts += 1
        else:
            left += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return bool(left) or texts * heaviest_pattern > _MOST
