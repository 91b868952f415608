"""Bounds on warnings, which are sent as HTTP headers. Source: apiserver/pkg/endpoints/filters/warning.go."""

import re
from collections.abc import Iterable

_TOTAL, _ITEM = 4 * 1024, 256
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def bounded(warnings: Iterable[str]) -> list[str]:
    """Return each warning once. If they exceed 4,096 characters, each is cut to 256, and the rest is dropped.

    Warnings with control characters are dropped.
    """
    unique = [text for text in dict.fromkeys(warnings) if text and not _CONTROL.search(text)]
    if sum(map(len, unique)) <= _TOTAL:
        return unique
    truncated, length = list[str](), 0
    for text in unique:
        if length >= _TOTAL:
            break
        truncated.append(text[:_ITEM])
        length += len(truncated[-1])
    return truncated
