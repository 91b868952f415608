"""Names of many nodes in few words: `node-1 … node-4200`."""

from collections.abc import Iterable
from typing import Any, TypedDict

_DIGITS = "0123456789"
# Names without a common pattern make as many ranges as there are names; the rest is counted.
MAX_RANGES = 40

Range = list[Any]
"""`[first name, last name, how many]`."""


class NodeRanges(TypedDict):
    count: int
    ranges: list[Range]
    omitted: int


def node_ranges(names: Iterable[str]) -> NodeRanges:
    """`{"count", "ranges": [[first, last, count]], "omitted"}`; `omitted` is how many names are in no range listed."""
    groups: dict[str, dict[int, str]] = {}
    others: list[str] = []
    count = 0
    for name in names:
        count += 1
        prefix = name.rstrip(_DIGITS)
        digits = name[len(prefix) :]
        if digits and len(digits) < 16:
            # `node-07` and `node-7` count differently, so zero-padded numbers go by their width.
            key = f"{prefix}\0{len(digits)}" if digits[0] == "0" and len(digits) > 1 else f"{prefix}\0"
            groups.setdefault(key, {})[int(digits)] = name
        else:
            others.append(name)
    ranges: list[Range] = [[name, name, 1] for name in others]
    for key, numbered in _with_padded(groups).items():
        ranges += _runs(numbered, key)
    ranges.sort(key=lambda found: (-found[2], found[0]))
    shown = ranges[:MAX_RANGES]
    return {"count": count, "ranges": shown, "omitted": count - sum(found[2] for found in shown)}


def _with_padded(groups: dict[str, dict[int, str]]) -> dict[str, dict[int, str]]:
    """`node-08`, `node-09` and `node-10` belong together: unpadded numbers join padded ones of their width."""
    for key in [key for key in groups if not key.endswith("\0")]:
        prefix, _, width = key.rpartition("\0")
        unpadded = groups.get(f"{prefix}\0", {})
        for number in [number for number in unpadded if len(str(number)) == int(width)]:
            groups[key][number] = unpadded.pop(number)
    return groups


def _runs(numbered: dict[int, str], key: str) -> list[Range]:
    """Consecutive numbers as one range."""
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


def shown(ranges: NodeRanges) -> str:
    """`node-1 … node-7, big, and 3 more`."""
    texts = [first if count == 1 else f"{first} … {last}" for first, last, count in ranges["ranges"]]
    more = [f"and {ranges['omitted']:,} more"] if ranges["omitted"] else []
    return ", ".join([*texts, *more])
