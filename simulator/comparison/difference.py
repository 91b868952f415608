"""Two runs of one workload: the first decision in which they part, and the pods that ended up elsewhere."""

from collections.abc import Mapping
from typing import Any, TypedDict

Result = Mapping[str, Any]


class AttemptAnswer(TypedDict):
    cycle: int
    pod: str
    node: str | None
    outcome: str
    message: str


class ComparedDivergence(TypedDict):
    """The first attempt (from 0) that is not the same; null where a run was over already."""

    index: int
    a: AttemptAnswer | None
    b: AttemptAnswer | None


class MovedPod(TypedDict):
    pod: str
    a: str | None
    b: str | None


def divergence(a: Result, b: Result) -> ComparedDivergence | None:
    """Where two results part, or None if they do not."""
    mine, theirs = _attempts(a), _attempts(b)
    for index in range(max(len(mine), len(theirs))):
        one = mine[index] if index < len(mine) else None
        other = theirs[index] if index < len(theirs) else None
        if one is None or other is None or one != other:
            return {"index": index, "a": _attempt(a, index), "b": _attempt(b, index)}
    return None


def moved(a: Result, b: Result) -> list[MovedPod]:
    """Pods that are on another node in `b` than in `a`, or on none; in the order of the workload."""
    mine, theirs = a["placements"], b["placements"]
    return [
        {"pod": pod, "a": mine.get(pod), "b": theirs.get(pod)}
        for pod in {**mine, **theirs}
        if mine.get(pod) != theirs.get(pod)
    ]


def _attempts(result: Result) -> list[tuple[str, str | None, str]]:
    found = result["decisions"]
    return list(zip(found["pod"], found["node"], found["outcome"], strict=True))


def _attempt(result: Result, index: int) -> AttemptAnswer | None:
    found = result["decisions"]
    if index >= len(found["pod"]):
        return None
    return {
        "cycle": found["first_cycle"] + index,
        "pod": found["pod"][index],
        "node": found["node"][index],
        "outcome": found["outcome"][index],
        "message": found["message"][index],
    }
