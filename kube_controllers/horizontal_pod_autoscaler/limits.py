"""The limits of scaling: stabilization, rate policies and the spec's bounds. Times are seconds since 1970.

Source: pkg/controller/podautoscaler/horizontal.go, pkg/apis/autoscaling/v2/defaults.go.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

STABILIZATION_SECONDS = 300.0
_RULES: Mapping[str, Mapping[str, Any]] = {
    "scaleUp": {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": (
            {"type": "Pods", "value": 4, "periodSeconds": 15},
            {"type": "Percent", "value": 100, "periodSeconds": 15},
        ),
    },
    "scaleDown": {
        "stabilizationWindowSeconds": None,
        "selectPolicy": "Max",
        "policies": ({"type": "Percent", "value": 100, "periodSeconds": 15},),
    },
}
WITHIN = "DesiredWithinRange"
_MESSAGES = {
    WITHIN: "the desired count is within the acceptable range",
    "ScaleUpLimit": "the desired replica count is increasing faster than the maximum scale rate",
    "TooManyReplicas": "the desired replica count is more than the maximum replica count",
    "ScaleDownLimit": "the desired replica count is decreasing faster than the maximum scale rate",
    "TooFewReplicas": "the desired replica count is less than the minimum replica count",
}

# A time and a number of replicas: recommended, added or removed.
Event = tuple[float, int]


class Limited(NamedTuple):
    replicas: int
    reason: str

    @property
    def message(self) -> str:
        return _MESSAGES[self.reason]


def rules_of(behavior: Mapping[str, Any] | None, direction: str) -> Mapping[str, Any]:
    """Return the behavior of a direction with defaults. Source: GenerateHPAScaleUpRules, GenerateHPAScaleDownRules."""
    configured = {field: value for field, value in ((behavior or {}).get(direction) or {}).items() if value is not None}
    return {**_RULES[direction], **configured}


def stabilize(known: Sequence[Event], wanted: int, now: float) -> tuple[int, list[Event]]:
    """Return the highest recent recommendation, and the list with the new one. Source: stabilizeRecommendation."""
    cutoff = now - STABILIZATION_SECONDS
    most = max([wanted, *(count for time, count in known if time >= cutoff)])
    return most, _replace_outdated(known, [time < cutoff for time, _ in known], (now, wanted))


def _replace_outdated(known: Sequence[Event], old: Sequence[bool], new: Event) -> list[Event]:
    """Return the events with the new one in place of the last outdated one."""
    events = list(known)
    for index in reversed(range(len(events))):
        if old[index]:
            events[index] = new
            return events
    return [*events, new]


def stabilize_with_behavior(
    known: Sequence[Event], current: int, wanted: int, now: float, up: Mapping[str, Any], down: Mapping[str, Any]
) -> tuple[int, list[Event]]:
    """Source: stabilizeRecommendationWithBehaviors."""
    window = down["stabilizationWindowSeconds"]
    up_cutoff = now - float(up["stabilizationWindowSeconds"])
    down_cutoff = now - (STABILIZATION_SECONDS if window is None else float(window))
    least = min([wanted, *(count for time, count in known if time > up_cutoff)])
    most = max([wanted, *(count for time, count in known if time > down_cutoff)])
    stable = min(max(current, least), most)
    return stable, _replace_outdated(
        known, [time < up_cutoff and time < down_cutoff for time, _ in known], (now, wanted)
    )


def limit_replicas(current: int, wanted: int, least: int, most: int) -> Limited:
    """Source: convertDesiredReplicasWithRules."""
    limit = int(max(2.0 * current, 4.0))
    highest, reason = (limit, "ScaleUpLimit") if most > limit else (most, "TooManyReplicas")
    if wanted < least:
        return Limited(least, "TooFewReplicas")
    return Limited(highest, reason) if wanted > highest else Limited(wanted, WITHIN)


def limit_replicas_by_rate(
    current: int,
    wanted: int,
    least: int,
    most: int,
    ups: Sequence[Event],
    downs: Sequence[Event],
    now: float,
    up: Mapping[str, Any],
    down: Mapping[str, Any],
) -> Limited:
    """Source: convertDesiredReplicasWithBehaviorRate."""
    if wanted > current:
        limit = max(up_limit(current, ups, downs, now, up), current)
        highest, reason = (limit, "ScaleUpLimit") if most > limit else (most, "TooManyReplicas")
        if wanted > highest:
            return Limited(highest, reason)
    elif wanted < current:
        limit = min(down_limit(current, ups, downs, now, down), current)
        lowest, reason = (limit, "ScaleDownLimit") if least < limit else (least, "TooFewReplicas")
        if wanted < lowest:
            return Limited(lowest, reason)
    return Limited(wanted, WITHIN)


def _start_of_period(
    policy: Mapping[str, Any], current: int, ups: Iterable[Event], downs: Iterable[Event], now: float
) -> int:
    since = now - float(policy["periodSeconds"])
    added, removed = (sum(count for time, count in events if time > since) for events in (ups, downs))
    return current - added + removed


def _policies(
    current: int, ups: Sequence[Event], downs: Sequence[Event], now: float, rules: Mapping[str, Any]
) -> Iterator[tuple[int, int, bool]]:
    """Yield for each policy the replicas at the start of its period, its value, and whether it counts Pods."""
    for policy in rules["policies"]:
        yield _start_of_period(policy, current, ups, downs, now), int(policy["value"]), policy["type"] == "Pods"


def up_limit(current: int, ups: Sequence[Event], downs: Sequence[Event], now: float, rules: Mapping[str, Any]) -> int:
    """Source: calculateScaleUpLimitWithScalingRules."""
    if rules["selectPolicy"] == "Disabled":
        return current
    proposed = [
        start + value if by_count else math.ceil(start * (1 + value / 100))
        for start, value, by_count in _policies(current, ups, downs, now, rules)
    ]
    return min(proposed) if rules["selectPolicy"] == "Min" else max(proposed)


def down_limit(current: int, ups: Sequence[Event], downs: Sequence[Event], now: float, rules: Mapping[str, Any]) -> int:
    """Source: calculateScaleDownLimitWithBehaviors."""
    if rules["selectPolicy"] == "Disabled":
        return current
    proposed = [
        start - value if by_count else int(start * (1 - value / 100))
        for start, value, by_count in _policies(current, ups, downs, now, rules)
    ]
    return max(proposed) if rules["selectPolicy"] == "Min" else min(proposed)


def with_event(known: Sequence[Event], change: int, now: float, rules: Mapping[str, Any]) -> list[Event]:
    """Source: storeScaleEvent, markScaleEventsOutdated."""
    longest = max((float(policy["periodSeconds"]) for policy in rules["policies"]), default=0.0)
    return _replace_outdated(known, [time < now - longest for time, _ in known], (now, change))
