"""The load of a workload over time, drawn by annotations of its autoscaler in place of a metrics API.

`playground.kube-scheduler/load-cpu: 0=500m 10m=4 30m=500m` is the CPU usage of all Pods together. Times are seconds,
minutes or hours since the autoscaler was created; values between them are interpolated. `load-METRIC` is a custom or
external metric. Ready Pods share the load. `load-period: 24h` repeats the curve.
"""

from collections.abc import Mapping, Sequence

from kube_controllers.horizontal_pod_autoscaler.calculator import MetricError, Sample
from kube_controllers.pods import is_active, is_ready, phase
from kube_objects.manifests import Manifest, annotations, created, name, parse_time, spec
from kube_objects.quantity import QuantityError, parse_milli
from kube_objects.text import curve
from kube_objects.text.curve import seconds_of

PREFIX = "playground.kube-scheduler/load-"
PERIOD = PREFIX + "period"


class NoServer(MetricError):  # noqa: N818
    """A metric without an annotation, as in a cluster without a metrics server."""


def curve_of(text: str) -> list[tuple[float, int]]:
    """Return the points of a curve as seconds and thousandths, in the order of time. Raise MetricError if it is
    invalid.
    """
    points = []
    try:
        for seconds, value, part in curve.points_of(text):
            try:
                points.append((seconds, parse_milli(value)))
            except QuantityError:
                raise curve.no_point(part) from None
    except curve.CurveError as error:
        raise MetricError(str(error)) from None
    return sorted(points)


def value_at(points: Sequence[tuple[float, int]], seconds: float) -> int:
    """Return the interpolated value; before the first and after the last point it is constant."""
    before = points[0]
    for point in points:
        if point[0] > seconds:
            if point[0] == before[0] or seconds <= before[0]:
                return before[1]
            part = (seconds - before[0]) / (point[0] - before[0])
            return round(before[1] + (point[1] - before[1]) * part)
        before = point
    return before[1]


def total(hpa: Manifest, metric: str, now: float) -> int:
    """Return the load of all Pods or the value of another metric, in thousandths. Raise NoServer if it is unknown."""
    text = annotations(hpa).get(PREFIX + metric)
    if text is None:
        raise NoServer(metric)
    seconds = now - (parse_time(created(hpa) or None) or now)
    period = annotations(hpa).get(PERIOD)
    if period is not None:
        try:
            length = seconds_of(period)
        except ValueError:
            raise MetricError(f"{period!r} is no period of a load") from None
        seconds = seconds % length if length else seconds
    return value_at(curve_of(text), seconds)


def pod_samples(
    hpa: Manifest, metric: str, pods: Sequence[Manifest], now: float, container: str = ""
) -> Mapping[str, Sample]:
    """Return the usage of each Pod: ready Pods share the load equally, up to their limits."""
    whole = total(hpa, metric, now)
    busy = [pod for pod in pods if is_active(pod) and phase(pod) == "Running"]
    ready = [pod for pod in busy if is_ready(pod)]
    share = whole // len(ready) if ready else 0
    sharing = {name(pod) for pod in ready}
    return {
        name(pod): Sample(_limited_share(pod, metric, share, container) if name(pod) in sharing else 0, now)
        for pod in busy
    }


def _limited_share(pod: Manifest, resource: str, share: int, container: str) -> int:
    """Return the usage of a Pod or a container. Containers have equal parts, each up to its limit."""
    containers = spec(pod).get("containers") or ()
    part = share // len(containers) if containers else 0
    values = []
    for candidate in containers:
        limit = ((candidate.get("resources") or {}).get("limits") or {}).get(resource)
        values.append((candidate.get("name"), part if limit is None else min(part, parse_milli(str(limit)))))
    if container:
        return sum(amount for container_name, amount in values if container_name == container)
    return sum(value for _, value in values)
