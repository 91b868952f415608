"""Ranking: which of the candidates costs least.

Source: pkg/scheduler/framework/preemption/preemption.go pickOneNodeForPreemption.
"""

from collections.abc import Callable

from scheduler_core.framework.extender import Victims
from scheduler_core.preemption.candidates import Candidates
from scheduler_core.preemption.victims import start_time


def _priorities(victims: Victims) -> int:
    # Upstream lifts every priority above 0, so that many victims of a negative priority are worse than few.
    return sum(pod.priority + (1 << 31) for pod in victims.pods)


def _oldest_of_highest_priority(victims: Victims) -> float:
    highest = max(pod.priority for pod in victims.pods)
    return min(start_time(pod) for pod in victims.pods if pod.priority == highest)


# Lower is better. Each criterion only looks at the candidates that are best by all before it.
CRITERIA: tuple[Callable[[Victims], float], ...] = (
    lambda victims: victims.pdb_violations,
    lambda victims: victims.pods[0].priority,
    _priorities,
    lambda victims: len(victims.pods),
    lambda victims: -_oldest_of_highest_priority(victims),
)


def best(candidates: Candidates) -> list[str]:
    """Names of the candidates that are equally best by all criteria; upstream takes a random one of them."""
    left = list(candidates)
    for criterion in CRITERIA:
        costs = {name: criterion(candidates[name]) for name in left}
        lowest = min(costs.values(), default=0)
        left = [name for name in left if costs[name] == lowest]
    return left
