"""Comparison of what the pod asks for with what the node has, and detection of typos by edit distance."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

# Longer words are not compared.
MAX_WORD = 80
MAX_EDITS = 3
LETTERS_PER_EDIT = 4
# The suffix of numbered names: zone-a, node-07, us-east-1b.
_NUMBERED = re.compile(r"(?:[-_.][A-Za-z0-9]{1,2}|[0-9]+)$")


# Cached, because nodes share their labels and pods their selectors.
@lru_cache(maxsize=4096)
def edit_distance(a: str, b: str) -> int:
    """Return how many letters are missing, added, changed, or swapped with their neighbor."""
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        now = [i]
        for j, other in enumerate(b, 1):
            edits = min(last[j] + 1, now[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                edits = min(edits, before[j - 2] + 1)
            now.append(edits)
        before, last = last, now
    return last[-1]


def is_typo(wanted: str, has: str) -> bool:
    """Return True if `wanted` is probably a typo of `has`. Numbered names, such as zone-a and zone-b, are not typos."""
    if wanted == has or not wanted or not has or max(len(wanted), len(has)) > MAX_WORD:
        return False
    if wanted.lower() == has.lower():
        return True
    stems = _NUMBERED.sub("", wanted), _NUMBERED.sub("", has)
    longest = max(map(len, stems))
    return stems[0] != stems[1] and edit_distance(wanted, has) <= min(MAX_EDITS, longest // LETTERS_PER_EDIT)


def find_intended_word(wanted: str, known: Iterable[str]) -> str:
    """Return the known word of which `wanted` is a typo; "" if there is none."""
    return min(
        (word for word in known if is_typo(wanted, word)),
        key=lambda word: (edit_distance(wanted, word), word),
        default="",
    )


def compare_line(part: str, pod: str, node: str) -> dict[str, Any]:
    """Return one line of a fact's `compare`: `{"part", "pod", "node", "near"}`; "" means nothing."""
    return {"part": part, "pod": pod, "node": node, "near": is_typo(pod, node)}
