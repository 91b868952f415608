"""Compact text for many node names: `node-1 … node-4200`."""

from collections.abc import Iterable
from typing import Any, TypedDict

_DIGITS = "0123456789"
# Names without a common pattern make one range each; beyond this limit they are only counted.
MAX_RANGES = 40

Range = list[Any]
"""`[first name, last name, number of names]`."""


class NodeRanges(TypedDict):
    count: int
    ranges: list[Range]
    omitted: int


def node_ranges(names: Iterable[str]) -> NodeRanges:
    """Return `{"count", "ranges": [[first, last, count]], "omitted"}`.

    `omitted` is the number of names that no listed range includes.
    """
    groups: dict[str, dict[int, str]] = {}
    others: list[str] = []
    count = 0
    for name in names:
        count += 1
        prefix = name.rstrip(_DIGITS)
        digits = name[len(prefix) :]
        if digits and len(digits) < 16:
            # Zero-padded numbers are grouped by width: `node-07` and `node-7` are different names.
            key = f"{prefix}\0{len(digits)}" if digits[0] == "0" and len(digits) > 1 else f"{prefix}\0"
            groups.setdefault(key, {})[int(digits)] = name
        else:
            others.append(name)
    ranges: list[Range] = [[name, name, 1] for name in others]
    for key, numbered in _merge_padded(groups).items():
        ranges += _consecutive_ranges(numbered, key)
    ranges.sort(key=lambda span: (-span[2], span[0]))
    listed = ranges[:MAX_RANGES]
    return {"count": count, "ranges": listed, "omitted": count - sum(span[2] for span in listed)}


def _merge_padded(groups: dict[str, dict[int, str]]) -> dict[str, dict[int, str]]:
    """Move unpadded numbers to the padded ones of their width, so that `node-08`, `node-09` and `node-10` are one
    range.
    """
    for key in [key for key in groups if not key.endswith("\0")]:
        prefix, _, width = key.rpartition("\0")
        unpadded = groups.get(f"{prefix}\0", {})
        for number in [number for number in unpadded if len(str(number)) == int(width)]:
            groups[key][number] = unpadded.pop(number)
    return groups


def _consecutive_ranges(numbered: dict[int, str], key: str) -> list[Range]:
    """Join consecutive numbers into ranges."""
    runs: list[Range] = []
    previous = None
    for number in sorted(numbered):
        name = numbered[number]
        if previous is not None and number == previous + 1:
            runs[-1][1] = name
            runs[-1][2] += 1
        else:
            runs.append([name, name, 1])
        previous = number
    return runs


def format_ranges(ranges: NodeRanges) -> str:
    """Return a text such as `node-1 … node-7, big, and 3 more`."""
    texts = [first if count == 1 else f"{first} … {last}" for first, last, count in ranges["ranges"]]
    more = [f"and {ranges['omitted']:,} more"] if ranges["omitted"] else []
    return ", ".join([*texts, *more])
