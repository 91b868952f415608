"""Fact: one thing that a filter plugin looked at on one node, with the numbers, and whether it keeps the pod out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from kube_objects.pod import Pod
from kube_objects.sentences import Data

# Pods named in one fact; `count` says how many there are.
MAX_PODS = 5


class ExplainedFact(TypedDict):
    of: str
    what: Data
    fails: bool
    data: dict[str, Any]


@dataclass(slots=True, frozen=True)
class Fact:
    """`of` is what it is about, verbatim (a resource, a taint, a label key); `data` are the numbers, JSON-ready."""

    what: Data
    of: str = ""
    fails: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> ExplainedFact:
        return {"of": self.of, "what": self.what, "fails": self.fails, "data": dict(self.data)}


def named(pods: Iterable[Pod]) -> list[str]:
    """Keys of the first few pods, sorted."""
    return sorted(pod.key for pod in pods)[:MAX_PODS]
