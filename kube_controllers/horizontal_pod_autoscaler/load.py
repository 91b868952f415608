"""The load of a workload over time, as annotations of its autoscaler draw it: what a metrics API would tell.

`playground.kube-scheduler/load-cpu: 0=500m 10m=4 30m=500m` is the CPU that all its pods use together, at seconds,
minutes or hours since the autoscaler was created, and in between in a straight line; `load-METRIC` that of a custom or
external metric. The pods that are ready share it. `load-period: 24h` has the curve begin again.
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
    """No annotation draws the metric: as in a cluster without a server of metrics."""


def curve_of(text: str) -> list[tuple[float, int]]:
    """Seconds and thousandths, in the order of time. MetricError if the text is no curve."""
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
    """In a straight line between two points; as the first and the last one before and after them."""
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
    """Thousandths that all pods use together, or the value of a metric that is not of pods. NoServer if unknown."""
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


def of_pods(
    hpa: Manifest, metric: str, pods: Sequence[Manifest], now: float, container: str = ""
) -> Mapping[str, Sample]:
    """What each pod uses: those that are ready share the load alike, up to their limits."""
    whole = total(hpa, metric, now)
    busy = [pod for pod in pods if is_active(pod) and phase(pod) == "Running"]
    ready = [pod for pod in busy if is_ready(pod)]
    share = whole // len(ready) if ready else 0
    sharing = {name(pod) for pod in ready}
    return {
        name(pod): Sample(_limited(pod, metric, share, container) if name(pod) in sharing else 0, now) for pod in busy
    }


def _limited(pod: Manifest, resource: str, share: int, container: str) -> int:
    """A container cannot use more than its limit; of a pod's share each container has the same part."""
    found = spec(pod).get("containers") or ()
    part = share // len(found) if found else 0
    values = []
    for one in found:
        limit = ((one.get("resources") or {}).get("limits") or {}).get(resource)
        values.append((one.get("name"), part if limit is None else min(part, parse_milli(str(limit)))))
    if container:
        return sum(value for named, value in values if named == container)
    return sum(value for _, value in values)
