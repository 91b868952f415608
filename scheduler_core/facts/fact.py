"""Fact: one thing that a Filter plugin read on one node, with numbers, and whether it rejects the pod."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from kube_objects.pod import Pod
from kube_objects.sentences import Data

# The most pods that one fact names; `count` is the number of all.
MAX_PODS = 5


class ExplainedFact(TypedDict):
    of: str
    what: Data
    fails: bool
    data: dict[str, Any]


@dataclass(slots=True, frozen=True)
class Fact:
    """A fact about a node. `of` is its subject, verbatim (a resource, a taint, a label key); `data` is JSON-ready."""

    what: Data
    of: str = ""
    fails: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> ExplainedFact:
        return {"of": self.of, "what": self.what, "fails": self.fails, "data": dict(self.data)}


def first_pod_keys(pods: Iterable[Pod]) -> list[str]:
    """Return the keys of the first few pods, sorted."""
    return sorted(pod.key for pod in pods)[:MAX_PODS]
