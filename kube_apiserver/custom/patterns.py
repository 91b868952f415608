"""Patterns of schemas, tried by an engine that takes no more time than the text and the pattern are long.

It makes a program of a pattern each time: what would be a large one is not tried, nor are patterns on very many texts.
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
    """Whether the pattern is found anywhere; True for one that the engine does not know."""
    try:
        return bool(expressions.value(_MATCHES, {"text": text, "pattern": pattern}))
    except SelectorError:
        return True


def weight(pattern: str) -> int:
    """How large a program it is; 0 for one that is not tried."""
    if len(pattern) > _LONGEST:
        return 0
    counts = [max(int(found[1]), int(found[2] or 0), 1) for found in _COUNTED.finditer(pattern)]
    # Counts within one another multiply.
    found = math.prod(counts) if "){" in pattern else sum(counts)
    found = max(1, found) * (_OF_WIDE if _WIDE.search(pattern) else 1)
    return found if found <= _HEAVIEST else 0


def heaviest(schema: Any) -> int:
    """Return the weight of the heaviest pattern in a schema."""
    most, left = 0, [schema]
    while left:
        each = left.pop()
        if not isinstance(each, dict):
            continue
        pattern, properties = each.get("pattern"), each.get("properties")
        if isinstance(pattern, str):
            most = max(most, weight(pattern))
        if isinstance(properties, dict):
            left += properties.values()
        left += (each.get(name) for name in ("items", "additionalProperties", "not"))
        for name in ("allOf", "anyOf", "oneOf"):
            left += each.get(name) or ()
    return most


def are_too_much(value: Any, heaviest_pattern: int) -> bool:
    """Whether so many texts would take too long."""
    texts, left = 0, [value]
    while left and texts * heaviest_pattern <= _MOST:
        each = left.pop()
        if isinstance(each, str):
            texts += 1
        else:
            left += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return bool(left) or texts * heaviest_pattern > _MOST
