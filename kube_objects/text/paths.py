"""Paths of fields, as errors name them: `spec.containers[0].image`, `metadata.labels[example.com/a]`."""

import re
from collections.abc import Iterator

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_SHOWN = 80


def child(path: str, key: object) -> str:
    """Return `path.key`, or `path[key]` for a key with dots, slashes or other special characters."""
    text = str(key)
    if not _PLAIN_KEY.fullmatch(text):
        return f"{path}[{text[:_LONGEST_SHOWN]}]"
    return f"{path}.{text}" if path else text


def enclosing(path: str) -> Iterator[str]:
    """Return the path and its parents, the innermost first."""
    yield path
    for at in range(len(path) - 1, 0, -1):
        if path[at] in ".[":
            yield path[:at]
    yield ""
