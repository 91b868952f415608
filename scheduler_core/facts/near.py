"""What the pod asks beside what the node has; and whether one is only a slip of the other, by edit distance."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

# A longer word is no slip of anything.
MAX_WORD = 80
MOST_EDITS = 3
LETTERS_AN_EDIT = 4
# The last part of names that are counted through: zone-a, node-07, us-east-1b.
_COUNTED = re.compile(r"(?:[-_.][A-Za-z0-9]{1,2}|[0-9]+)$")


# The same few words stand on every node, and are asked for by every pod.
@lru_cache(maxsize=4096)
def distance(a: str, b: str) -> int:
    """How many letters are missing, added, changed or swapped with their neighbour."""
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        now = [i]
        for j, other in enumerate(b, 1):
            edits = min(last[j] + 1, now[j - 1] + 1, last[j - 1] + (one != other))
            if i > 1 and j > 1 and one == b[j - 2] and a[i - 2] == other:
                edits = min(edits, before[j - 2] + 1)
            now.append(edits)
        before, last = last, now
    return last[-1]


def is_slip(wanted: str, has: str) -> bool:
    """Was `has` probably meant by `asked`? Names that count, such as zone-a and zone-b, are two names."""
    if wanted == has or not wanted or not has or max(len(wanted), len(has)) > MAX_WORD:
        return False
    if wanted.lower() == has.lower():
        return True
    stems = _COUNTED.sub("", wanted), _COUNTED.sub("", has)
    longest = max(map(len, stems))
    return stems[0] != stems[1] and distance(wanted, has) <= min(MOST_EDITS, longest // LETTERS_AN_EDIT)


def nearest(wanted: str, known: Iterable[str]) -> str:
    """The word that `asked` is a slip of; "" when there is none."""
    return min(
        (word for word in known if is_slip(wanted, word)), key=lambda word: (distance(wanted, word), word), default=""
    )


def beside(part: str, pod: str, node: str) -> dict[str, Any]:
    """`{"part", "pod", "node", "near"}`: one line of a fact's `compare`; "" is nothing at all."""
    return {"part": part, "pod": pod, "node": node, "near": is_slip(pod, node)}
