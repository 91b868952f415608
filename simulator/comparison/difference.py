"""Differences of two runs of one workload: the first decision that differs, and the pods on other nodes."""

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
    """The first attempt (from 0) that differs; null for a run that had ended before it."""

    index: int
    a: AttemptAnswer | None
    b: AttemptAnswer | None


class MovedPod(TypedDict):
    pod: str
    a: str | None
    b: str | None


def find_divergence(a: Result, b: Result) -> ComparedDivergence | None:
    """Return the first attempt in which two results differ, or None."""
    mine, theirs = _attempts(a), _attempts(b)
    for index in range(max(len(mine), len(theirs))):
        if mine[index : index + 1] != theirs[index : index + 1]:
            return {"index": index, "a": _attempt(a, index), "b": _attempt(b, index)}
    return None


def find_moved_pods(a: Result, b: Result) -> list[MovedPod]:
    """Return the pods whose node differs between `a` and `b`, in the order of the workload."""
    mine, theirs = a["placements"], b["placements"]
    return [
        {"pod": pod, "a": mine.get(pod), "b": theirs.get(pod)}
        for pod in {**mine, **theirs}
        if mine.get(pod) != theirs.get(pod)
    ]


def _attempts(result: Result) -> list[tuple[str, str | None, str]]:
    decisions = result["decisions"]
    return list(zip(decisions["pod"], decisions["node"], decisions["outcome"], strict=True))


def _attempt(result: Result, index: int) -> AttemptAnswer | None:
    decisions = result["decisions"]
    if index >= len(decisions["pod"]):
        return None
    return {
        "cycle": decisions["first_cycle"] + index,
        "pod": decisions["pod"][index],
        "node": decisions["node"][index],
        "outcome": decisions["outcome"][index],
        "message": decisions["message"][index],
    }
