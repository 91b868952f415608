"""What controllers count of a pod: worked out once for each version of it, and asked for again and again."""

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from typing import Any

from scheduler_core.actors.manifests import Manifest, created, is_deleted, labels, parse_time, uid
from scheduler_core.actors.pods import (
    PHASES,
    deletion_cost,
    is_finished,
    is_ready,
    node_of,
    phase,
    ready_since,
    restarts,
)
from scheduler_core.actors.selecting import Selector, matches


class Counted:
    """`active`, `terminating` and `ready` as `pods.py` has them; `since` is when it became ready."""

    __slots__ = ("_labelled", "_selected", "_standing", "active", "node", "pod", "ready", "since", "terminating")

    def __init__(self, pod: Manifest) -> None:
        self.pod = pod
        alive, deleted = not is_finished(pod), is_deleted(pod)
        self.active, self.terminating = alive and not deleted, alive and deleted
        self.node = node_of(pod)
        self.ready = is_ready(pod)
        self.since = ready_since(pod) if self.ready else None
        self._standing: tuple[Any, ...] = ()
        # The last answers, of which the questions are kept: an object that is kept is not mistaken for another one.
        self._selected: tuple[Selector | None, bool] = (None, False)
        self._labelled: tuple[Mapping[str, str] | None, bool] = (None, False)

    def selected_by(self, selector: Selector | None) -> bool:
        query, answer = self._selected
        if query is not selector:
            answer = matches(selector, labels(self.pod))
            self._selected = selector, answer
        return answer

    def has_labels(self, wanted: Mapping[str, str]) -> bool:
        query, answer = self._labelled
        if query is not wanted:
            answer = wanted.items() <= labels(self.pod).items()
            self._labelled = wanted, answer
        return answer

    def is_available(self, min_ready: int, now: float) -> bool:
        return self.ready and (min_ready == 0 or (self.since is not None and self.since + min_ready <= now))

    @property
    def standing(self) -> tuple[Any, ...]:
        """What decides who goes first, besides time and neighbours: state, cost, restarts, creation."""
        if not self._standing:
            pod = self.pod
            state = bool(self.node), PHASES.get(phase(pod), 0), self.ready, deletion_cost(pod)
            self._standing = state, restarts(pod), parse_time(created(pod) or None), uid(pod)
        return self._standing


def deletion_order(pods: Sequence[Counted], related: Iterable[Counted], now: float) -> list[Counted]:
    """Those that go first when replicas go. Source: ActivePodsWithRanks."""
    doubled: dict[str, int] = {}
    for one in related:
        if one.active:
            doubled[one.node] = doubled.get(one.node, 0) + 1
    return sorted(pods, key=lambda one: _first_to_go(one, doubled.get(one.node, 0), now))


def _first_to_go(pod: Counted, rank: int, now: float) -> tuple[Any, ...]:
    """The comparison as a key: its ages come in powers of two, within which uids decide."""
    state, restarted, since_created, of = pod.standing
    ready_for = _age_rank(pod.since, now) if pod.ready else 0.0
    return *state, -rank, ready_for, *restarted, _age_rank(since_created, now), of


def _age_rank(since: float | None, now: float) -> float:
    """Source: logarithmicRankDiff. Nothing known comes first."""
    if since is None:
        return -2.0
    age = int(now * 1e9) - int(since * 1e9)
    return float(int(log2(age))) if age > 0 else -1.0
