"""The proposal of each metric of an autoscaler. Source: pkg/controller/podautoscaler/horizontal.go
computeStatusFor….
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kube_controllers.horizontal_pod_autoscaler import calculator, load
from kube_controllers.horizontal_pod_autoscaler.calculator import MetricError, Proposal, Tolerances
from kube_controllers.horizontal_pod_autoscaler.load import NoServer
from kube_controllers.selecting import as_go
from kube_objects.manifests import Manifest, spec
from kube_objects.quantity import BINARY_SI, DECIMAL_SI, Quantity, parse_milli

# Error messages of a cluster without metrics servers.
_NO_RESOURCES = (
    "unable to fetch metrics from resource metrics API: the server could not find the requested resource "
    "(get pods.metrics.k8s.io)"
)
_NO_CUSTOM = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
_NO_EXTERNAL = (
    "unable to fetch metrics from external metrics API: the server could not find the requested resource "
    "(get {}.external.metrics.k8s.io)"
)


class Scale(NamedTuple):
    """The scale of a workload: desired replicas, existing ones (`has`), and its Pods."""

    replicas: int
    has: int
    pods: Sequence[Manifest]


class Proposed(NamedTuple):
    """The replicas that a metric proposes, its name for messages, and its entry of the status."""

    replicas: int
    name: str
    status: dict[str, Any]


class MetricFailed(Exception):  # noqa: N818 - upstream's word for its condition
    """A metric without a value. `reason` is for condition and Event, `message` the full text, `inner` the cause."""

    def __init__(self, reason: str, message: str, inner: str) -> None:
        self.reason, self.message, self.inner = reason, message, inner
        super().__init__(message)


class _NoTarget(Exception):  # noqa: N818
    """A metric of a total without a target value."""


def tolerances_of(hpa: Manifest) -> Tolerances:
    """Source: tolerancesForHpa."""
    behavior = spec(hpa).get("behavior") or {}
    configured = [(behavior.get(field) or {}).get("tolerance") for field in ("scaleDown", "scaleUp")]
    down, up = (0.1 if value is None else parse_milli(str(value)) / 1000 for value in configured)
    return Tolerances(down, up)


def text_of(resource: str, milli: int) -> str:
    """Source: buildQuantity."""
    return str(Quantity(milli * 1_000_000, BINARY_SI if resource == "memory" else DECIMAL_SI))


def propose_replicas(hpa: Manifest, metric: Mapping[str, Any], scale: Scale, now: float) -> Proposed:
    """Return the proposal of a metric. Raise MetricFailed."""
    compute = _KINDS.get(str(metric.get("type")))
    if compute is None:
        message = f'unknown metric source type "{metric.get("type")}"'
        raise MetricFailed("InvalidMetricSourceType", message, message)
    return compute(hpa, metric, scale, now)


def _resource(hpa: Manifest, metric: Mapping[str, Any], scale: Scale, now: float) -> Proposed:
    source = metric["resource"]
    try:
        return _resource_proposal(hpa, source, "", "resource", scale, now)
    except MetricError as error:
        message = f"failed to get {source['name']} resource metric value: {error}"
        raise MetricFailed("FailedGetResourceMetric", message, str(error)) from None


def _container(hpa: Manifest, metric: Mapping[str, Any], scale: Scale, now: float) -> Proposed:
    source = metric["containerResource"]
    try:
        return _resource_proposal(hpa, source, str(source.get("container", "")), "containerResource", scale, now)
    except MetricError as error:
        message = f"failed to get {source.get('container')} container metric value: {error}"
        raise MetricFailed("FailedGetContainerResourceMetric", message, str(error)) from None


def _resource_proposal(
    hpa: Manifest, source: Mapping[str, Any], container: str, field: str, scale: Scale, now: float
) -> Proposed:
    resource, target = str(source["name"]), source.get("target") or {}
    by_value = target.get("averageValue") is not None
    what = "usage" if by_value else "utilization"
    if not by_value and target.get("averageUtilization") is None:
        raise MetricError(
            "invalid resource metric source: neither an average utilization target nor an average value (usage) target "
            "was set"
        )
    try:
        samples = load.pod_samples(hpa, resource, scale.pods, now, container)
    except MetricError as error:
        why = _error_text(error, _NO_RESOURCES)
        raise MetricError(
            f"failed to get {resource} {what}: unable to get metrics for resource {resource}: {why}"
        ) from None
    try:
        proposal, metric_name = _proposed(hpa, target, resource, container, scale, samples, now)
    except MetricError as error:
        raise MetricError(f"failed to get {resource} {what}: {error}") from None
    current: dict[str, Any] = {"averageValue": text_of(resource, proposal.value)}
    if proposal.utilization is not None:
        current["averageUtilization"] = proposal.utilization
    status = {"name": resource, "current": current} | ({"container": container} if container else {})
    return Proposed(proposal.replicas, metric_name, {"type": field[0].upper() + field[1:], field: status})


def _proposed(
    hpa: Manifest, target: Mapping[str, Any], resource: str, container: str, scale: Scale, samples: Any, now: float
) -> tuple[Proposal, str]:
    tolerances = tolerances_of(hpa)
    if target.get("averageValue") is not None:
        wanted = parse_milli(str(target["averageValue"]))
        proposal = calculator.average_replicas(scale.replicas, wanted, scale.pods, samples, resource, now, tolerances)
        return proposal, f"{resource} resource"
    proposal = calculator.resource_replicas(
        scale.replicas, int(target["averageUtilization"]), scale.pods, samples, resource, now, tolerances, container
    )
    kind = "container resource" if container else "resource"
    return proposal, f"{resource} {kind} utilization (percentage of request)"


def _pods(hpa: Manifest, metric: Mapping[str, Any], scale: Scale, now: float) -> Proposed:
    source = metric["pods"]
    metric_name = str(source["metric"]["name"])
    try:
        try:
            samples = load.pod_samples(hpa, metric_name, scale.pods, now)
        except MetricError as error:
            raise MetricError(f"unable to get metric {metric_name}: {_error_text(error, _NO_CUSTOM)}") from None
        target = parse_milli(str(source["target"]["averageValue"]))
        proposal = calculator.average_replicas(scale.replicas, target, scale.pods, samples, "", now, tolerances_of(hpa))
    except MetricError as error:
        message = f"failed to get pods metric value: {error}"
        raise MetricFailed("FailedGetPodsMetric", message, str(error)) from None
    current = {"averageValue": text_of("", proposal.value)}
    status = {"type": "Pods", "pods": {"metric": source["metric"], "current": current}}
    return Proposed(proposal.replicas, f"pods metric {metric_name}", status)


def _total_proposal(
    hpa: Manifest, named: str, target: Mapping[str, Any], scale: Scale, now: float
) -> tuple[Proposal, dict[str, str]]:
    value = load.total(hpa, named, now)
    if target.get("averageValue") is not None:
        wanted = parse_milli(str(target["averageValue"]))
        proposal = calculator.shared_replicas(scale.has, wanted, value, tolerances_of(hpa))
        return proposal, {"averageValue": text_of("", proposal.value)}
    if target.get("value") is None:
        raise _NoTarget
    wanted = parse_milli(str(target["value"]))
    proposal = calculator.total_replicas(scale.replicas, wanted, value, scale.pods, tolerances_of(hpa))
    return proposal, {"value": text_of("", proposal.value)}


def _object(hpa: Manifest, metric: Mapping[str, Any], scale: Scale, now: float) -> Proposed:
    source = metric["object"]
    metric_name, described = str(source["metric"]["name"]), source.get("describedObject") or {}
    try:
        proposal, current = _total_proposal(hpa, metric_name, source.get("target") or {}, scale, now)
    except _NoTarget:
        inner = "invalid object metric source: neither a value target nor an average value target was set"
        raise MetricFailed("FailedGetObjectMetric", f"failed to get object metric value: {inner}", inner) from None
    except MetricError as error:
        # Upstream has the last two in the wrong order.
        place = f"{described.get('kind')} on {hpa['metadata'].get('namespace')} {described.get('name')}"
        inner = str(error)
        if isinstance(error, NoServer):
            inner = f"unable to get metric {metric_name}: {place}/{_NO_CUSTOM}"
        by_pod = f"failed to get {metric_name} object metric: " if _is_by_pod(source) else ""
        message = f"failed to get object metric value: {by_pod}{inner}"
        raise MetricFailed("FailedGetObjectMetric", message, inner) from None
    status = {"describedObject": described, "metric": source["metric"], "current": current}
    return Proposed(
        proposal.replicas, f"{described.get('kind')} metric {metric_name}", {"type": "Object", "object": status}
    )


def _external(hpa: Manifest, metric: Mapping[str, Any], scale: Scale, now: float) -> Proposed:
    source = metric["external"]
    metric_name = str(source["metric"]["name"])
    selector = _selector_text(source["metric"].get("selector"))
    try:
        proposal, current = _total_proposal(hpa, metric_name, source.get("target") or {}, scale, now)
    except _NoTarget:
        inner = "invalid external metric source: neither a value target nor an average value target was set"
        message = f"failed to get {metric_name} external metric value: {inner}"
        raise MetricFailed("FailedGetExternalMetric", message, inner) from None
    except MetricError as error:
        place = f"{hpa['metadata'].get('namespace')}/{metric_name}/{selector}"
        inner = str(error)
        if isinstance(error, NoServer):
            inner = f"unable to get external metric {place}: {_NO_EXTERNAL.format(metric_name)}"
        what = f"{metric_name} external metric" if _is_by_pod(source) else f"external metric {metric_name}"
        message = f"failed to get {metric_name} external metric value: failed to get {what}: {inner}"
        raise MetricFailed("FailedGetExternalMetric", message, inner) from None
    status = {"metric": source["metric"], "current": current}
    return Proposed(
        proposal.replicas, f"external metric {metric_name}({selector})", {"type": "External", "external": status}
    )


def _error_text(error: MetricError, no_server: str) -> str:
    return no_server if isinstance(error, NoServer) else str(error)


def _selector_text(selector: Any) -> str:
    return "nil" if selector is None else as_go(selector)


def _is_by_pod(source: Mapping[str, Any]) -> bool:
    return (source.get("target") or {}).get("averageValue") is not None


_KINDS = {
    "Resource": _resource,
    "ContainerResource": _container,
    "Pods": _pods,
    "Object": _object,
    "External": _external,
}
