"""The selector of default constraints, from the Services and the owner that select the pod.

Source: pkg/scheduler/framework/plugins/helper/spread.go.
"""

from collections.abc import Mapping
from functools import lru_cache

from kube_objects.kinds.core.service import Service
from kube_objects.parsers.selectors import from_labels, with_requirements
from kube_objects.pod import Pod
from kube_objects.selectors import LabelSelector, has_labels
from scheduler_core.framework.handle import Lister

_REPLICATION_CONTROLLER = ("v1", "ReplicationController")
_WITH_SELECTOR = (("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet"))
_NOTHING = LabelSelector()


def default_selector(pod: Pod, lister: Lister) -> LabelSelector:
    """Return the selector; it has no requirements if nothing selects the pod."""
    labels = service_labels(pod, lister)
    owner = pod.controller
    if owner is None:
        return _select_labels(labels)
    kind = (owner.api_version, owner.kind)
    if kind != _REPLICATION_CONTROLLER and kind not in _WITH_SELECTOR:
        return _select_labels(labels)
    workload = lister.get(owner.kind, f"{pod.namespace}/{owner.name}")
    if workload is None or workload.selector is None:
        return _select_labels(labels)
    if kind == _REPLICATION_CONTROLLER:
        # Its selector is a map, which overwrites values from the Services.
        labels.update((requirement.key, requirement.values[0]) for requirement in workload.selector.requirements)
        return _select_labels(labels)
    if not labels:
        return _select_workload(workload.selector)
    return with_requirements(_select_labels(labels), workload.selector.requirements)


@lru_cache(maxsize=1024)
def _select_workload(selector: LabelSelector) -> LabelSelector:
    """Return the selector of a workload whose pods no Service selects."""
    return with_requirements(_NOTHING, selector.requirements)


def selector_by_match(pod: Pod, lister: Lister) -> LabelSelector:
    """Return the selector from every workload that matches the pod, owner or not, as up to v1.21."""
    labels = service_labels(pod, lister)
    selectors = {
        kind: [
            workload.selector
            for workload in lister.list(kind, pod.namespace)
            if workload.selector is not None
            and workload.selector.requirements
            and workload.selector.matches(pod.labels)
        ]
        for kind in ("ReplicationController", "ReplicaSet", "StatefulSet")
    }
    for selector in selectors.pop("ReplicationController"):
        labels.update((requirement.key, requirement.values[0]) for requirement in selector.requirements)
    selected = _select_labels(labels)
    for found in selectors.values():
        for selector in found:
            selected = with_requirements(selected, selector.requirements)
    return selected


def service_labels(pod: Pod, lister: Lister) -> dict[str, str]:
    """Return the combined selectors of all Services that select the pod."""
    labels: dict[str, str] = {}
    for service in matching_services(pod, lister):
        labels.update(service.selector)
    return labels


def matching_services(pod: Pod, lister: Lister) -> list[Service]:
    """Return the Services that select the pod, in the order of creation."""
    return [service for service in lister.list("Service", pod.namespace) if _selects(service.selector, pod)]


def _selects(selector: Mapping[str, str], pod: Pod) -> bool:
    return bool(selector) and has_labels(selector, pod.labels)


def _select_labels(labels: Mapping[str, str]) -> LabelSelector:
    return with_requirements(_NOTHING, from_labels(labels)) if labels else _NOTHING
