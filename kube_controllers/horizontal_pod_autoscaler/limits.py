"""How fast replicas may change: stabilization, policies, and the limits of the spec.

Source: pkg/controller/podautoscaler/horizontal.go, pkg/apis/autoscaling/v2/defaults.go. Times are seconds since 1970.
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

# When, and how many replicas were recommended, or came or went.
Event = tuple[float, int]


class Limited(NamedTuple):
    replicas: int
    reason: str

    @property
    def message(self) -> str:
        return _MESSAGES[self.reason]


def rules_of(behavior: Mapping[str, Any] | None, direction: str) -> Mapping[str, Any]:
    """What is asked for over the defaults. Source: GenerateHPAScaleUpRules, GenerateHPAScaleDownRules."""
    given = {field: value for field, value in ((behavior or {}).get(direction) or {}).items() if value is not None}
    return {**_RULES[direction], **given}


def stabilized(known: Sequence[Event], wanted: int, now: float) -> tuple[int, list[Event]]:
    """The highest recommendation of the last minutes, and all with this one. Source: stabilizeRecommendation."""
    cutoff = now - STABILIZATION_SECONDS
    most = max([wanted, *(count for at, count in known if at >= cutoff)])
    return most, _replaced(known, [at < cutoff for at, _ in known], (now, wanted))


def _replaced(known: Sequence[Event], old: Sequence[bool], new: Event) -> list[Event]:
    """The last old one makes room for the new one."""
    found = list(known)
    for place in reversed(range(len(found))):
        if old[place]:
            found[place] = new
            return found
    return [*found, new]


def stabilized_by(
    known: Sequence[Event], current: int, wanted: int, now: float, up: Mapping[str, Any], down: Mapping[str, Any]
) -> tuple[int, list[Event]]:
    """Source: stabilizeRecommendationWithBehaviors."""
    window = down["stabilizationWindowSeconds"]
    up_cutoff = now - float(up["stabilizationWindowSeconds"])
    down_cutoff = now - (STABILIZATION_SECONDS if window is None else float(window))
    least = min([wanted, *(count for at, count in known if at > up_cutoff)])
    most = max([wanted, *(count for at, count in known if at > down_cutoff)])
    found = min(max(current, least), most)
    return found, _replaced(known, [at < up_cutoff and at < down_cutoff for at, _ in known], (now, wanted))


def within(current: int, wanted: int, least: int, most: int) -> Limited:
    """Source: convertDesiredReplicasWithRules."""
    limit = int(max(2.0 * current, 4.0))
    highest, reason = (limit, "ScaleUpLimit") if most > limit else (most, "TooManyReplicas")
    if wanted < least:
        return Limited(least, "TooFewReplicas")
    return Limited(highest, reason) if wanted > highest else Limited(wanted, WITHIN)


def within_rates(
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
    added, removed = (sum(count for at, count in events if at > since) for events in (ups, downs))
    return current - added + removed


def _policies(
    current: int, ups: Sequence[Event], downs: Sequence[Event], now: float, rules: Mapping[str, Any]
) -> Iterator[tuple[int, int, bool]]:
    """Of each policy: the replicas when its period began, its value, and whether that is a number of pods."""
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
    return _replaced(known, [at < now - longest for at, _ in known], (now, change))
