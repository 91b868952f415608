"""The message for a CEL rule that an object breaks: a rule of a custom resource or of an admission policy."""

from collections.abc import Callable, Mapping
from typing import Any

_LONGEST = 5120


def message(rule: Mapping[str, Any], evaluated: Callable[[str], Any], otherwise: str) -> str:
    """Return the message of a broken rule.

    The `messageExpression` comes first, if `evaluated` makes one line of it (None: it fails), then the `message`.
    """
    if expression := str(rule.get("messageExpression") or ""):
        found = evaluated(expression)
        text = found.strip() if isinstance(found, str) else ""
        if text and "\n" not in text and len(text.encode()) <= _LONGEST:
            return text
    return str(rule.get("message") or "").strip() or otherwise
