"""The replicas that a metric needs. Metric values and requests are in thousandths, like upstream's MilliValue.

Source: pkg/controller/podautoscaler/replica_calculator.go, metrics/utilization.go.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kube_controllers.pods import is_ready, phase
from kube_objects.manifests import Manifest, condition, conditions, is_deleted, name, parse_time, spec, status
from kube_objects.quantity import parse_milli

_ZERO_TIME = "0001-01-01T00:00:00Z"  # Go's zero time
MOST_REPLICAS = 2**31 - 1
MOST_VALUE = 2**63 - 1
# Source: HPAControllerConfiguration's defaults.
INITIALIZATION_SECONDS = 300.0
INITIAL_READINESS_SECONDS = 30.0


class MetricError(Exception):
    """A metric from which no number of replicas follows."""


class Sample(NamedTuple):
    """A Pod's usage, measured over the `window` seconds until `at`."""

    value: int
    at: float = 0.0
    window: float = 60.0


class Tolerances(NamedTuple):
    """The relative distances from the target, downwards and upwards, within which nothing changes."""

    down: float = 0.1
    up: float = 0.1

    def hold(self, ratio: float) -> bool:
        return 1.0 - self.down <= ratio <= 1.0 + self.up


class Groups(NamedTuple):
    """Pod names by the use of their metrics. Source: groupPods."""

    ready: int
    unready: set[str]
    missing: set[str]
    ignored: set[str]


class Proposal(NamedTuple):
    """The proposed replicas, the utilization in percent (None if there is none), and the average value."""

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
    """Return whether a Pod doesn't count because it has just started, when it uses more CPU than later."""
    ready, started = condition(conditions(pod), "Ready"), parse_time(status(pod).get("startTime"))
    if ready is None or started is None:
        return True
    changed = parse_time(ready.get("lastTransitionTime") or _ZERO_TIME) or 0.0
    if started + INITIALIZATION_SECONDS > now:
        return ready.get("status") == "False" or sample.at < changed + sample.window
    return ready.get("status") == "False" and started + INITIAL_READINESS_SECONDS > changed


def requests_of(pods: Iterable[Manifest], container: str, resource: str) -> dict[str, int]:
    """Return the requests by Pod name. Source: calculateRequests."""
    return {name(pod): _request(pod, container, resource) for pod in pods}


def _request(pod: Manifest, container: str, resource: str) -> int:
    pod_level = (spec(pod).get("resources") or {}).get("requests")
    if pod_level and not container:
        if resource not in pod_level:
            raise MetricError(f"missing pod-level request for {resource} in Pod {name(pod)}")
        return parse_milli(str(pod_level[resource]))
    sidecars = [
        init_container
        for init_container in spec(pod).get("initContainers") or ()
        if init_container.get("restartPolicy") == "Always"
    ]
    total = 0
    for candidate in [*(spec(pod).get("containers") or ()), *sidecars]:
        if container not in ("", candidate.get("name")):
            continue
        requested = ((candidate.get("resources") or {}).get("requests") or {}).get(resource)
        if requested is None:
            raise MetricError(f"missing request for {resource} in container {candidate.get('name')} of Pod {name(pod)}")
        total += parse_milli(str(requested))
        if container:
            return total
    if container:
        raise MetricError(f"container {container} not found in Pod {name(pod)}")
    return total


def utilization(values: Mapping[str, int], requests: Mapping[str, int], target: int) -> tuple[float, int, int]:
    """Return the ratio to the target, the utilization in percent, and the average usage. Source:
    GetResourceUtilizationRatio.
    """
    known = [pod_name for pod_name in values if pod_name in requests]
    used, requested = sum(values[pod_name] for pod_name in known), sum(requests[pod_name] for pod_name in known)
    if requested == 0:
        raise MetricError("no metrics returned matched known pods")
    current = used * 100 // requested
    return current / target, current, used // len(known)


def _group_samples(
    pods: Sequence[Manifest], metrics: Mapping[str, Sample], resource: str, now: float
) -> tuple[Groups, dict[str, int]]:
    """Return the groups, and the values of the Pods that count."""
    if resource and not metrics:
        raise MetricError(
            f"unable to get metrics for resource {resource}: no metrics returned from resource metrics API"
        )
    if not pods:
        raise MetricError("no pods returned by selector while calculating replica count")
    groups = group(pods, metrics, resource, now)
    values = {
        pod_name: sample.value
        for pod_name, sample in metrics.items()
        if pod_name not in groups.ignored and pod_name not in groups.unready
    }
    if not values:
        raise MetricError("did not receive metrics for targeted pods (pods might be unready)")
    return groups, values


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
    """Return the proposal for a target in percent of the requests. Source: GetResourceReplicas."""
    groups, values = _group_samples(pods, metrics, resource, now)
    requests = requests_of(pods, container, resource)
    ratio, used, raw = utilization(values, requests, target)
    fallback = max(100, target)
    filled = _fill_missing(
        values, groups, ratio, {pod_name: requests[pod_name] * fallback // 100 for pod_name in groups.missing}
    )
    filled_ratio = None if filled is None else utilization(filled, requests, target)[0]
    count = 0 if filled is None else len(filled)
    return Proposal(_proposed_replicas(current, groups.ready, ratio, filled_ratio, count, tolerances), used, raw)


def average_replicas(
    current: int,
    target: int,
    pods: Sequence[Manifest],
    metrics: Mapping[str, Sample],
    resource: str,
    now: float,
    tolerances: Tolerances = Tolerances(),  # noqa: B008 - a tuple
) -> Proposal:
    """Return the proposal for a target average value. Source: calcPlainMetricReplicas."""
    groups, values = _group_samples(pods, metrics, resource, now)
    raw = sum(values.values()) // len(values)
    filled = _fill_missing(values, groups, raw / target, dict.fromkeys(groups.missing, target))
    filled_ratio = None if filled is None else sum(filled.values()) // len(filled) / target
    count = 0 if filled is None else len(filled)
    return Proposal(_proposed_replicas(current, groups.ready, raw / target, filled_ratio, count, tolerances), None, raw)


def _fill_missing(
    values: Mapping[str, int], groups: Groups, ratio: float, when_down: Mapping[str, int]
) -> dict[str, int] | None:
    """Return the values with the least favorable ones for Pods without metrics; None if no Pod lacks them."""
    with_unready = bool(groups.unready) and ratio > 1.0
    if not with_unready and not groups.missing:
        return None
    filled = dict(values)
    if ratio < 1.0:
        filled |= when_down
    elif ratio > 1.0:
        filled |= dict.fromkeys(groups.missing, 0)
    return filled | dict.fromkeys(groups.unready, 0) if with_unready else filled


def _proposed_replicas(
    current: int, ready: int, ratio: float, again: float | None, count: int, tolerances: Tolerances
) -> int:
    """Return the replicas. `again` and `count` are the ratio and the number of Pods after `_fill_missing`."""
    if again is None:
        return current if tolerances.hold(ratio) else math.ceil(ratio * ready)
    if tolerances.hold(again) or (ratio < 1.0 < again) or (again < 1.0 < ratio):
        return current
    wanted = math.ceil(again * count)
    if (again < 1.0 and wanted > current) or (again > 1.0 and wanted < current):
        return current  # the result would contradict the direction of the ratio
    return wanted


def total_replicas(
    current: int,
    target: int,
    value: int,
    pods: Sequence[Manifest],
    tolerances: Tolerances = Tolerances(),  # noqa: B008 - a tuple
) -> Proposal:
    """Return the proposal for a value that all Pods share. Source: getUsageRatioReplicaCount."""
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
    """Return the proposal for a total value with a target per Pod.

    Source: GetObjectPerPodMetricReplicas, GetExternalPerPodMetricReplicas.
    """
    value = min(value, MOST_VALUE)
    ratio = value / (target * replicas) if replicas else math.inf
    wanted = replicas if tolerances.hold(ratio) else min(math.ceil(value / target), MOST_REPLICAS)
    average = value if value == MOST_VALUE or not replicas else math.ceil(value / replicas)
    return Proposal(wanted, None, average)
