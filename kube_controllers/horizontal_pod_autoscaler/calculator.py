"""How many replicas a metric asks for.

Source: pkg/controller/podautoscaler/replica_calculator.go, metrics/utilization.go.
Values of metrics and requests are thousandths, as upstream's MilliValue.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kube_controllers.pods import is_ready, phase
from kube_objects.manifests import Manifest, condition, conditions, is_deleted, name, parse_time, spec, status
from kube_objects.quantity import parse_milli

_ZERO_TIME = "0001-01-01T00:00:00Z"  # what Go has where no time is written
MOST_REPLICAS = 2**31 - 1
MOST_VALUE = 2**63 - 1
# Source: HPAControllerConfiguration's defaults.
INITIALIZATION_SECONDS = 300.0
INITIAL_READINESS_SECONDS = 30.0


class MetricError(Exception):
    """Nothing can be worked out of a metric."""


class Sample(NamedTuple):
    """What a pod used, measured over the `window` seconds until `at`."""

    value: int
    at: float = 0.0
    window: float = 60.0


class Tolerances(NamedTuple):
    """How far from the target nothing is done, downwards and upwards."""

    down: float = 0.1
    up: float = 0.1

    def hold(self, ratio: float) -> bool:
        return 1.0 - self.down <= ratio <= 1.0 + self.up


class Groups(NamedTuple):
    """Names of pods by what a metric can say of them. Source: groupPods."""

    ready: int
    unready: set[str]
    missing: set[str]
    ignored: set[str]


class Proposal(NamedTuple):
    """Replicas, the utilization in per cent (None where there is none) and the average value."""

    replicas: int
    utilization: int | None
    value: int


def group(pods: Iterable[Manifest], metrics: Mapping[str, Sample], resource: str, now: float) -> Groups:
    ready, unready, missing, ignored = 0, set(), set(), set()
    for pod in pods:
        if is_deleted(pod) or phase(pod) == "Failed":
            ignored.add(name(pod))
        elif phase(pod) == "Pending":
            unready.add(name(pod))
        elif name(pod) not in metrics:
            missing.add(name(pod))
        elif resource == "cpu" and _is_unready(pod, metrics[name(pod)], now):
            unready.add(name(pod))
        else:
            ready += 1
    return Groups(ready, unready, missing, ignored)


def _is_unready(pod: Manifest, sample: Sample, now: float) -> bool:
    """A pod that has just started uses more CPU than later."""
    found, started = condition(conditions(pod), "Ready"), parse_time(status(pod).get("startTime"))
    if found is None or started is None:
        return True
    changed = parse_time(found.get("lastTransitionTime") or _ZERO_TIME) or 0.0
    if started + INITIALIZATION_SECONDS > now:
        return found.get("status") == "False" or sample.at < changed + sample.window
    return found.get("status") == "False" and started + INITIAL_READINESS_SECONDS > changed


def requests_of(pods: Iterable[Manifest], container: str, resource: str) -> dict[str, int]:
    """By the pod's name. Source: calculateRequests."""
    return {name(pod): _request(pod, container, resource) for pod in pods}


def _request(pod: Manifest, container: str, resource: str) -> int:
    level = (spec(pod).get("resources") or {}).get("requests")
    if level and not container:
        if resource not in level:
            raise MetricError(f"missing pod-level request for {resource} in Pod {name(pod)}")
        return parse_milli(str(level[resource]))
    sidecars = [one for one in spec(pod).get("initContainers") or () if one.get("restartPolicy") == "Always"]
    total = 0
    for one in [*(spec(pod).get("containers") or ()), *sidecars]:
        if container not in ("", one.get("name")):
            continue
        requested = ((one.get("resources") or {}).get("requests") or {}).get(resource)
        if requested is None:
            raise MetricError(f"missing request for {resource} in container {one.get('name')} of Pod {name(pod)}")
        total += parse_milli(str(requested))
        if container:
            return total
    if container:
        raise MetricError(f"container {container} not found in Pod {name(pod)}")
    return total


def utilization(values: Mapping[str, int], requests: Mapping[str, int], target: int) -> tuple[float, int, int]:
    """The ratio to the target, the utilization in per cent, the average. Source: GetResourceUtilizationRatio."""
    known = [one for one in values if one in requests]
    used, requested = sum(values[one] for one in known), sum(requests[one] for one in known)
    if requested == 0:
        raise MetricError("no metrics returned matched known pods")
    current = used * 100 // requested
    return current / target, current, used // len(known)


def _counted(
    pods: Sequence[Manifest], metrics: Mapping[str, Sample], resource: str, now: float
) -> tuple[Groups, dict[str, int]]:
    """The groups, and the values of pods that count."""
    if resource and not metrics:
        raise MetricError(
            f"unable to get metrics for resource {resource}: no metrics returned from resource metrics API"
        )
    if not pods:
        raise MetricError("no pods returned by selector while calculating replica count")
    found = group(pods, metrics, resource, now)
    left = {at: one.value for at, one in metrics.items() if at not in found.ignored and at not in found.unready}
    if not left:
        raise MetricError("did not receive metrics for targeted pods (pods might be unready)")
    return found, left


def resource_replicas(
    current: int,
    target: int,
    pods: Sequence[Manifest],
    metrics: Mapping[str, Sample],
    resource: str,
    now: float,
    tolerances: Tolerances = Tolerances(),  # noqa: B008 - a tuple
    container: str = "",
) -> Proposal:
    """For a target in per cent of the requests. Source: GetResourceReplicas."""
    found, values = _counted(pods, metrics, resource, now)
    requests = requests_of(pods, container, resource)
    ratio, used, raw = utilization(values, requests, target)
    fallback = max(100, target)
    filled = _filled(values, found, ratio, {one: requests[one] * fallback // 100 for one in found.missing})
    again = None if filled is None else utilization(filled, requests, target)[0]
    count = 0 if filled is None else len(filled)
    return Proposal(_replicas(current, found.ready, ratio, again, count, tolerances), used, raw)


def average_replicas(
    current: int,
    target: int,
    pods: Sequence[Manifest],
    metrics: Mapping[str, Sample],
    resource: str,
    now: float,
    tolerances: Tolerances = Tolerances(),  # noqa: B008 - a tuple
) -> Proposal:
    """For a target as a value of each pod. Source: calcPlainMetricReplicas."""
    found, values = _counted(pods, metrics, resource, now)
    raw = sum(values.values()) // len(values)
    filled = _filled(values, found, raw / target, dict.fromkeys(found.missing, target))
    again = None if filled is None else sum(filled.values()) // len(filled) / target
    count = 0 if filled is None else len(filled)
    return Proposal(_replicas(current, found.ready, raw / target, again, count, tolerances), None, raw)


def _filled(
    values: Mapping[str, int], found: Groups, ratio: float, when_down: Mapping[str, int]
) -> dict[str, int] | None:
    """With the least favourable values for pods that say nothing; None if all that count do."""
    with_unready = bool(found.unready) and ratio > 1.0
    if not with_unready and not found.missing:
        return None
    filled = dict(values)
    if ratio < 1.0:
        filled |= when_down
    elif ratio > 1.0:
        filled |= dict.fromkeys(found.missing, 0)
    return filled | dict.fromkeys(found.unready, 0) if with_unready else filled


def _replicas(current: int, ready: int, ratio: float, again: float | None, count: int, tolerances: Tolerances) -> int:
    """`again` and `count`: the ratio and the number of pods with those that were filled in."""
    if again is None:
        return current if tolerances.hold(ratio) else math.ceil(ratio * ready)
    if tolerances.hold(again) or (ratio < 1.0 < again) or (again < 1.0 < ratio):
        return current
    wanted = math.ceil(again * count)
    if (again < 1.0 and wanted > current) or (again > 1.0 and wanted < current):
        return current  # it would go the other way
    return wanted


def total_replicas(
    current: int,
    target: int,
    value: int,
    pods: Sequence[Manifest],
    tolerances: Tolerances = Tolerances(),  # noqa: B008 - a tuple
) -> Proposal:
    """For a value that all pods share. Source: getUsageRatioReplicaCount."""
    value = min(value, MOST_VALUE)
    ratio = value / target
    if current == 0:
        return Proposal(math.ceil(ratio), None, value)
    if tolerances.hold(ratio):
        return Proposal(current, None, value)
    if not pods:
        raise MetricError(
            "unable to calculate ready pods: no pods returned by selector while calculating replica count"
        )
    ready = sum(phase(pod) == "Running" and is_ready(pod) for pod in pods)
    return Proposal(min(math.ceil(ratio * ready), MOST_REPLICAS), None, value)


def shared_replicas(
    replicas: int,
    target: int,
    value: int,
    tolerances: Tolerances = Tolerances(),  # noqa: B008 - a tuple
) -> Proposal:
    """For a value of all pods with a target for each of them. Source: GetObjectPerPodMetricReplicas,
    GetExternalPerPodMetricReplicas."""
    value = min(value, MOST_VALUE)
    ratio = value / (target * replicas) if replicas else math.inf
    wanted = replicas if tolerances.hold(ratio) else min(math.ceil(value / target), MOST_REPLICAS)
    average = value if value == MOST_VALUE or not replicas else math.ceil(value / replicas)
    return Proposal(wanted, None, average)
