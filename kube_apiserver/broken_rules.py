"""What is told of a rule in CEL that an object breaks: of a client's kind, or of an admission policy."""

from collections.abc import Callable, Mapping
from typing import Any

_LONGEST = 5120


def message(rule: Mapping[str, Any], evaluated: Callable[[str], Any], otherwise: str) -> str:
    """By its `messageExpression`, where `evaluated` makes a line of it (None: it does not), else its `message`."""
    if expression := str(rule.get("messageExpression") or ""):
        found = evaluated(expression)
        text = found.strip() if isinstance(found, str) else ""
        if text and "\n" not in text and len(text.encode()) <= _LONGEST:
            return text
    return str(rule.get("message") or "").strip() or otherwise
