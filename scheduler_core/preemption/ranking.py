"""Ranking: the candidate with the least harm.

Source: pkg/scheduler/framework/preemption/preemption.go pickOneNodeForPreemption.
"""

from collections.abc import Callable

from scheduler_core.framework.extender import Victims
from scheduler_core.preemption.candidates import Candidates
from scheduler_core.preemption.victims import start_time


def _priorities(victims: Victims) -> int:
    # Upstream shifts every priority above 0, so that many victims of a negative priority are worse than few.
    return sum(pod.priority + (1 << 31) for pod in victims.pods)


def _oldest_of_highest_priority(victims: Victims) -> float:
    highest = max(pod.priority for pod in victims.pods)
    return min(start_time(pod) for pod in victims.pods if pod.priority == highest)


# Lower is better. Each criterion compares only the candidates that are equal by all before it.
CRITERIA: tuple[Callable[[Victims], float], ...] = (
    lambda victims: victims.pdb_violations,
    lambda victims: victims.pods[0].priority,
    _priorities,
    lambda victims: len(victims.pods),
    lambda victims: -_oldest_of_highest_priority(victims),
)


def best_candidates(candidates: Candidates) -> list[str]:
    """Return the candidates that are equally good by all criteria. The evaluator chooses one of them at random."""
    remaining = list(candidates)
    for criterion in CRITERIA:
        costs = {name: criterion(candidates[name]) for name in remaining}
        lowest = min(costs.values(), default=0)
        remaining = [name for name in remaining if costs[name] == lowest]
    return remaining
