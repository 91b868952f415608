"""Two runs of one workload: the first decision in which they part, and the pods that ended up elsewhere."""

from collections.abc import Mapping
from typing import Any

Result = Mapping[str, Any]


def divergence(a: Result, b: Result) -> dict[str, Any] | None:
    """`{index, a, b}`: the first attempt (from 0) that is not the same in both results, or None if there is none.

    `a` and `b` are `{cycle, pod, node, outcome, message}`, or None where a run was over already.
    """
    mine, theirs = _attempts(a), _attempts(b)
    for index in range(max(len(mine), len(theirs))):
        one = mine[index] if index < len(mine) else None
        other = theirs[index] if index < len(theirs) else None
        if one is None or other is None or one != other:
            return {"index": index, "a": _attempt(a, index), "b": _attempt(b, index)}
    return None


def moved(a: Result, b: Result) -> list[dict[str, Any]]:
    """`[{pod, a, b}]`: pods that are on another node in `b` than in `a`, or on none; in the order of the workload."""
    mine, theirs = a["placements"], b["placements"]
    return [
        {"pod": pod, "a": mine.get(pod), "b": theirs.get(pod)}
        for pod in {**mine, **theirs}
        if mine.get(pod) != theirs.get(pod)
    ]


def _attempts(result: Result) -> list[tuple[str, str | None, str]]:
    found = result["decisions"]
    return list(zip(found["pod"], found["node"], found["outcome"], strict=True))


def _attempt(result: Result, index: int) -> dict[str, Any] | None:
    found = result["decisions"]
    if index >= len(found["pod"]):
        return None
    return {"cycle": found["first_cycle"] + index} | {
        name: found[name][index] for name in ("pod", "node", "outcome", "message")
    }
