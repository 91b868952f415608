"""What controllers count of a pod: worked out once for each version of it, and asked for again and again."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from math import log2
from typing import Any

from kube_controllers.pods import PHASES, deletion_cost, held_address, node_of, phase, restarts
from kube_objects.manifests import Manifest, condition, created, parse_time, uid
from kube_objects.selectors import LabelSelector

_NOTHING: Mapping[str, Any] = {}
Group = frozenset[tuple[str, str]]  # labels
_FINISHED = ("Succeeded", "Failed")
_NOWHERE = "", ""


class Counted:
    """`active`, `terminating` and `ready` as `pods.py` has them; `since` is when it became ready, `controller` the uid
    of its controller.
    """

    __slots__ = (
        "_group",
        "_standing",
        "active",
        "controller",
        "labels",
        "node",
        "pod",
        "ready",
        "since",
        "terminating",
    )

    def __init__(self, pod: Manifest, before: "Counted | None" = None, controller: str = "") -> None:
        """`before`: the version before, whose labels it mostly has."""
        self.pod, self.controller = pod, controller
        metadata, pod_status = pod.get("metadata") or _NOTHING, pod.get("status") or _NOTHING
        alive, deleted = pod_status.get("phase") not in _FINISHED, bool(metadata.get("deletionTimestamp"))
        self.active, self.terminating = alive and not deleted, alive and deleted
        self.node = str((pod.get("spec") or _NOTHING).get("nodeName") or "")
        ready = condition(pod_status.get("conditions") or (), "Ready")
        self.ready = ready is not None and ready.get("status") == "True"
        self.since = parse_time(ready.get("lastTransitionTime")) if ready is not None and self.ready else None
        self._standing: tuple[Any, ...] = ()
        self.labels: Mapping[str, str] = metadata.get("labels") or _NOTHING
        self._group: Group | None = before._group if before is not None and before.labels is self.labels else None

    @property
    def group(self) -> Group:
        """Its labels: pods that have the same ones are counted together."""
        if self._group is None:
            self._group = frozenset(self.labels.items())
        return self._group

    @property
    def standing(self) -> tuple[Any, ...]:
        """What decides who goes first, besides time and neighbours: state, cost, restarts, creation."""
        if not self._standing:
            pod = self.pod
            state = bool(self.node), PHASES.get(phase(pod), 0), self.ready, deletion_cost(pod)
            self._standing = state, restarts(pod), parse_time(created(pod) or None), uid(pod)
        return self._standing


class Tally:
    """How many of some pods are in which state; kept up to date where pods come, change and go."""

    __slots__ = ("_active", "_since", "_terminating", "active", "nodes", "ready")

    def __init__(self, pods: Iterable[Counted] = ()) -> None:
        self.active = self.ready = 0  # `ready`: of those that are active
        self.nodes: dict[str, int] = {}  # active pods by node
        self._active: dict[Group, int] = {}  # by their labels, as those that are terminating
        self._terminating: dict[Group, int] = {}
        self._since: dict[float | None, int] = {}  # of the ready ones
        for one in pods:
            self.add(one, 1)

    def add(self, one: Counted, count: int) -> None:
        """One more, or (-1) one less."""
        if one.terminating:
            note(self._terminating, one.group, count)
        elif one.active:
            self.active += count
            note(self._active, one.group, count)
            note(self.nodes, one.node, count)
            if one.ready:
                self.ready += count
                note(self._since, one.since, count)

    def is_selected(self, selector: LabelSelector | None) -> bool:
        """Whether all that are active are selected."""
        return all(selector is not None and selector.matches(dict(group)) for group in self._active)

    def leaving(self, selector: LabelSelector | None) -> int:
        """The terminating ones that are selected."""
        if not self._terminating or selector is None:
            return 0
        return sum([count for group, count in self._terminating.items() if selector.matches(dict(group))])

    def labelled(self, wanted: Mapping[str, str]) -> int:
        """The active ones that have these labels."""
        return sum([count for group, count in self._active.items() if wanted.items() <= group])

    def available(self, min_ready: int, now: float) -> int:
        """Source: IsPodAvailable."""
        if min_ready == 0:
            return self.ready
        return sum(count for since, count in self._since.items() if since is not None and since + min_ready <= now)

    def next_availability(self, min_ready: int, now: float) -> float | None:
        """When the first of the ready ones becomes available. Source: FindMinNextPodAvailabilityCheck."""
        times = (since + min_ready for since in self._since if since is not None)
        return min((at for at in times if at > now), default=None)


class Taken:
    """Addresses of pods that have not finished, by node and in the whole cluster; kept up to date as a tally is."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}  # by address: pods in the network of their node have that of the node
        self._on: dict[str, dict[str, int]] = {}  # by node

    def changed(self, before: Manifest | None, now: Manifest | None) -> None:
        """A pod has come, changed or gone."""
        if before is not None and now is not None and _is_told_the_same(before, now):
            return
        was, there = _place(before), _place(now)
        if was == there:
            return
        for (node, address), count in ((was, -1), (there, 1)):
            if address:
                note(self._counts, address, count)
                here = self._on.setdefault(node, {})
                note(here, address, count)
                if not here:
                    del self._on[node]

    def has(self, address: str) -> bool:
        """Whether a pod has it, wherever that is."""
        return address in self._counts

    def on(self, node: str) -> int:
        """How many the pods of a node have."""
        return len(self._on.get(node, ()))


def _is_told_the_same(one: Manifest, other: Manifest) -> bool:
    return one.get("status") is other.get("status") and one.get("spec") is other.get("spec")


def _place(pod: Manifest | None) -> tuple[str, str]:
    address = held_address(pod)
    return (node_of(pod), address) if pod is not None and address else _NOWHERE


def note(counts: dict[Any, int], of: Any, count: int) -> None:
    """So many more of something, or less; of what there is none nothing is kept."""
    found = counts.get(of, 0) + count
    if found:
        counts[of] = found
    else:
        del counts[of]


def deletion_order(
    pods: Sequence[Counted], related: Sequence[Tally], now: float, most: int | None = None
) -> list[Counted]:
    """Those that go first when replicas go, at `most` so many. Source: ActivePodsWithRanks.

    Ages are compared in powers of two, within which uids decide.
    """
    by_node = [tally.nodes for tally in related]
    ages: dict[float | None, float] = {}
    ranked: list[tuple[Any, ...]] = []
    for pod in pods:
        state, restarted, since_created, of = pod.standing
        rank, node = 0, pod.node
        for counts in by_node:
            rank += counts.get(node, 0)
        ready_for = 0.0
        if pod.ready:
            ready_for = ages.get(pod.since) or ages.setdefault(pod.since, _age_rank(pod.since, now))
        age = ages.get(since_created) or ages.setdefault(since_created, _age_rank(since_created, now))
        ranked.append((state, -rank, ready_for, restarted, age, of, len(ranked), pod))
    # Mostly one or two of fifty go: nobody asks for the order of the others.
    return [one[-1] for one in (sorted(ranked) if most is None else nsmallest(most, ranked))]


def _age_rank(since: float | None, now: float) -> float:
    """Source: logarithmicRankDiff. Nothing known comes first."""
    if since is None:
        return -2.0
    age = int(now * 1e9) - int(since * 1e9)
    return float(int(log2(age))) if age > 0 else -1.0
