"""The tree of branches that a cluster belongs to, and the differences of two branches."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, TypedDict

from kube_objects.sentences import say
from playground.engine.cluster_states import BranchOf, describe_branch, read_states
from playground.models import FOREVER, Cluster, Cycle, PodState
from playground.problems import Refused, problem
from playground.response_types import DateTime, named

MOST_MOVED = 1000
CYCLE = ("number", "pod", "outcome", "node", "message")


class Branch(BranchOf):
    id: int
    revision: int
    t: float
    cycle: int
    created: DateTime
    current: bool


class BranchCycle(TypedDict):
    number: int
    pod: str
    outcome: str
    node: str | None
    message: str


class Place(TypedDict):
    node: str | None
    lane: str


@named("Common")
class CommonPart(TypedDict):
    seq: int
    cycle: int


class Divergence(TypedDict):
    cycle: int
    a: BranchCycle | None
    b: BranchCycle | None


class Moved(TypedDict):
    pod: str
    a: Place | None
    b: Place | None


class BothCounts(TypedDict):
    a: dict[str, int]
    b: dict[str, int]


@named("Comparison")
class BranchComparison(TypedDict):
    common: CommonPart
    divergence: Divergence | None
    moved: list[Moved]
    moved_total: int
    counts: BothCounts


def list_branches(cluster: Cluster) -> list[Branch]:
    """Return the whole tree as docs/reference/http-api.md describes it, the original first."""
    return [
        {
            "id": each.pk,
            **describe_branch(each),
            "revision": each.revision,
            "t": each.t,
            "cycle": each.cycle,
            "created": each.created.isoformat(),
            "current": each.pk == cluster.pk,
        }
        for each in _members(cluster)
    ]


def _members(cluster: Cluster) -> list[Cluster]:
    everything = Cluster.objects.filter(owner_id=cluster.owner_id).order_by("pk")
    by_id = {each.pk: each for each in everything}
    root = _line(by_id, cluster.pk)[-1]
    return [each for each in by_id.values() if _line(by_id, each.pk)[-1] == root]


def _line(by_id: dict[int, Cluster], pk: int) -> list[int]:
    """Return a cluster's ID, its parent's, and so on to the original's."""
    line = [pk]
    while (parent := by_id[line[-1]].parent_id) is not None:
        line.append(parent)
    return line


def compare_branches(a: Cluster, b: Cluster) -> BranchComparison:
    """Return what two branches have in common, and how they differ. Raises Refused for branches of different trees."""
    by_id = {each.pk: each for each in _members(a)}
    if b.pk not in by_id:
        raise Refused([problem("with", say("is not a branch of the same cluster"), b.pk)], 404)
    seq, cycle = _find_common_part(by_id, a.pk, b.pk)
    moved = list(_moved(a.pk, b.pk))
    counts = {state["id"]: state["counts"] for state in read_states(Cluster.objects.filter(pk__in=(a.pk, b.pk)))}
    return {
        "common": {"seq": seq, "cycle": cycle},
        "divergence": _divergence(a.pk, b.pk),
        "moved": moved[:MOST_MOVED],
        "moved_total": len(moved),
        "counts": {"a": counts[a.pk], "b": counts[b.pk]},
    }


def _find_common_part(by_id: dict[int, Cluster], a: int, b: int) -> tuple[int, int]:
    """Return the last record and cycle that both have: the earliest fork between them and their common ancestor."""
    lines = [_line(by_id, a), _line(by_id, b)]
    shared = next(pk for pk in lines[0] if pk in lines[1])
    ends = [(by_id[shared].revision, by_id[shared].cycle)]
    for line in lines:
        ends += [(by_id[pk].fork_seq or 0, by_id[pk].fork_cycle or 0) for pk in line[: line.index(shared)]]
    return min(ends)


def _divergence(a: int, b: int) -> Divergence | None:
    """Return the first cycle that differs.

    It may be older than the fork: a Pod that waited at Permit then may have ended differently.
    """
    for one, other in zip_longest(_cycles(a), _cycles(b)):
        if one != other:
            number = (one or other)[0]
            return {"cycle": number, "a": _as_dict(one), "b": _as_dict(other)}
    return None


def _cycles(cluster_id: int) -> Iterator[tuple[Any, ...]]:
    return Cycle.objects.filter(cluster_id=cluster_id).order_by("number").values_list(*CYCLE).iterator()


def _as_dict(cycle: tuple[Any, ...] | None) -> BranchCycle | None:
    if cycle is None:
        return None
    number, pod, outcome, node, message = cycle
    return {"number": number, "pod": pod, "outcome": outcome, "node": node or None, "message": message}


def _moved(a: int, b: int) -> Iterator[Moved]:
    places = [_places(a), _places(b)]
    for pod in sorted(places[0].keys() | places[1].keys()):
        here, there = (place.get(pod) for place in places)
        if (here and here["node"]) != (there and there["node"]) or (here is None) != (there is None):
            yield {"pod": pod, "a": here, "b": there}


def _places(cluster_id: int) -> dict[str, Place]:
    pods = PodState.objects.filter(cluster_id=cluster_id, until=FOREVER)
    return {pod: {"node": node or None, "lane": lane} for pod, node, lane in pods.values_list("pod", "node", "lane")}
