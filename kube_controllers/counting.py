"""The state of a Pod that controllers count, and sums of it that are updated with each change."""

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


class CountedPod:
    """The counted state of one version of a Pod.

    `active`, `terminating` and `ready` are as in `pods.py`. `since` is the time since which it is ready, `controller`
    the uid of its controller.
    """

    __slots__ = (
        "_deletion_rank",
        "_group",
        "active",
        "controller",
        "labels",
        "node",
        "pod",
        "ready",
        "since",
        "terminating",
    )

    def __init__(self, pod: Manifest, before: "CountedPod | None" = None, controller: str = "") -> None:
        """Read the state of the Pod. `before` is the state of its version before, which often has the same labels."""
        self.pod, self.controller = pod, controller
        metadata, pod_status = pod.get("metadata") or _NOTHING, pod.get("status") or _NOTHING
        alive, deleted = pod_status.get("phase") not in _FINISHED, bool(metadata.get("deletionTimestamp"))
        self.active, self.terminating = alive and not deleted, alive and deleted
        self.node = str((pod.get("spec") or _NOTHING).get("nodeName") or "")
        ready = condition(pod_status.get("conditions") or (), "Ready")
        self.ready = ready is not None and ready.get("status") == "True"
        self.since = parse_time(ready.get("lastTransitionTime")) if ready is not None and self.ready else None
        self._deletion_rank: tuple[Any, ...] = ()
        self.labels: Mapping[str, str] = metadata.get("labels") or _NOTHING
        self._group: Group | None = before._group if before is not None and before.labels is self.labels else None

    @property
    def group(self) -> Group:
        """Return the labels as a set. A tally counts Pods with equal labels together."""
        if self._group is None:
            self._group = frozenset(self.labels.items())
        return self._group

    @property
    def deletion_rank(self) -> tuple[Any, ...]:
        """Return the parts of the deletion order that don't depend on time and other Pods."""
        if not self._deletion_rank:
            pod = self.pod
            state = bool(self.node), PHASES.get(phase(pod), 0), self.ready, deletion_cost(pod)
            self._deletion_rank = state, restarts(pod), parse_time(created(pod) or None), uid(pod)
        return self._deletion_rank


class Tally:
    """The number of Pods in each state, updated when Pods are added, changed or removed."""

    __slots__ = ("_active", "_since", "_terminating", "active", "nodes", "ready")

    def __init__(self, pods: Iterable[CountedPod] = ()) -> None:
        self.active = self.ready = 0  # `ready` counts active Pods only
        self.nodes: dict[str, int] = {}  # active pods by node
        self._active: dict[Group, int] = {}  # by labels, like `_terminating`
        self._terminating: dict[Group, int] = {}
        self._since: dict[float | None, int] = {}  # ready Pods by the time since which they are
        for pod in pods:
            self.add(pod, 1)

    def add(self, pod: CountedPod, count: int) -> None:
        """Add a Pod (`count` 1) or subtract it (-1)."""
        if pod.terminating:
            add_to_count(self._terminating, pod.group, count)
        elif pod.active:
            self.active += count
            add_to_count(self._active, pod.group, count)
            add_to_count(self.nodes, pod.node, count)
            if pod.ready:
                self.ready += count
                add_to_count(self._since, pod.since, count)

    def selects_all_active(self, selector: LabelSelector | None) -> bool:
        """Return whether the selector matches all active Pods."""
        return all(selector is not None and selector.matches(dict(group)) for group in self._active)

    def count_terminating(self, selector: LabelSelector | None) -> int:
        """Return the number of terminating Pods that the selector matches."""
        if not self._terminating or selector is None:
            return 0
        return sum([count for group, count in self._terminating.items() if selector.matches(dict(group))])

    def count_labelled(self, wanted: Mapping[str, str]) -> int:
        """Return the number of active Pods that have these labels."""
        return sum([count for group, count in self._active.items() if wanted.items() <= group])

    def available(self, min_ready: int, now: float) -> int:
        """Return the number of available Pods. Source: IsPodAvailable."""
        if min_ready == 0:
            return self.ready
        return sum(count for since, count in self._since.items() if since is not None and since + min_ready <= now)

    def next_availability(self, min_ready: int, now: float) -> float | None:
        """Return the time at which the next ready Pod becomes available; None if there is none.

        Source: FindMinNextPodAvailabilityCheck.
        """
        times = (since + min_ready for since in self._since if since is not None)
        return min((time for time in times if time > now), default=None)


class PodAddresses:
    """The addresses of Pods that have not finished, in the cluster and by Node."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}  # Pods that use the host network share its address
        self._on: dict[str, dict[str, int]] = {}  # Node -> address -> Pods

    def changed(self, before: Manifest | None, now: Manifest | None) -> None:
        """Update the addresses for a Pod that was added, changed or removed."""
        if before is not None and now is not None and _has_same_fields(before, now):
            return
        old_place, new_place = _place(before), _place(now)
        if old_place == new_place:
            return
        for (node, address), count in ((old_place, -1), (new_place, 1)):
            if address:
                add_to_count(self._counts, address, count)
                on_node = self._on.setdefault(node, {})
                add_to_count(on_node, address, count)
                if not on_node:
                    del self._on[node]

    def has(self, address: str) -> bool:
        """Return whether a Pod of the cluster has the address."""
        return address in self._counts

    def on(self, node: str) -> int:
        """Return the number of addresses of a Node's Pods."""
        return len(self._on.get(node, ()))


def _has_same_fields(before: Manifest, now: Manifest) -> bool:
    return before.get("status") is now.get("status") and before.get("spec") is now.get("spec")


def _place(pod: Manifest | None) -> tuple[str, str]:
    address = held_address(pod)
    return (node_of(pod), address) if pod is not None and address else _NOWHERE


def add_to_count(counts: dict[Any, int], entry: Any, count: int) -> None:
    """Add `count` to an entry, and delete the entry if it becomes zero."""
    total = counts.get(entry, 0) + count
    if total:
        counts[entry] = total
    else:
        del counts[entry]


def rank_for_deletion(
    pods: Sequence[CountedPod], related: Sequence[Tally], now: float, most: int | None = None
) -> list[CountedPod]:
    """Return the Pods in the order in which a controller deletes them, at most `most`. Source: ActivePodsWithRanks.

    Ages are compared in powers of two; between equal ages uids decide.
    """
    by_node = [tally.nodes for tally in related]
    ages: dict[float | None, float] = {}
    ranked: list[tuple[Any, ...]] = []
    for pod in pods:
        state, restarted, since_created, pod_uid = pod.deletion_rank
        rank, node = 0, pod.node
        for counts in by_node:
            rank += counts.get(node, 0)
        ready_for = 0.0
        if pod.ready:
            ready_for = ages.get(pod.since) or ages.setdefault(pod.since, _age_rank(pod.since, now))
        age = ages.get(since_created) or ages.setdefault(since_created, _age_rank(since_created, now))
        ranked.append((state, -rank, ready_for, restarted, age, pod_uid, len(ranked), pod))
    # `nsmallest` is faster than sorting: most calls delete few of many Pods.
    return [entry[-1] for entry in (sorted(ranked) if most is None else nsmallest(most, ranked))]


def _age_rank(since: float | None, now: float) -> float:
    """Return the age as a power of two. An unknown time comes first. Source: logarithmicRankDiff."""
    if since is None:
        return -2.0
    age = int(now * 1e9) - int(since * 1e9)
    return float(int(log2(age))) if age > 0 else -1.0
