"""Objects as clients of the API server see them: manifests with the API server's defaults.

Only fields that an extender is likely to read are defaulted: identity, scheduler name, priority, requests, allocatable.
Source: pkg/apis/core/v1/defaults.go; without kind and apiVersion, which typed objects of Go's clients lack.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of

Json = dict[str, Any]


def api_view(obj: KubeObject) -> Json:
    """Return the JSON of a Pod or Node.

    It must not be modified, because it may share parts of the object's manifest.
    """
    view = {key: value for key, value in manifest_of(obj).items() if key not in ("apiVersion", "kind")}
    view["metadata"] = _filled(view.get("metadata"), uid=obj.uid, namespace=obj.namespace)
    if isinstance(obj, Node):
        status = view.get("status") or {}
        view["status"] = _filled(status, allocatable=status.get("capacity"))
    elif isinstance(obj, Pod):
        view["spec"] = _pod_spec(view.get("spec") or {}, obj)
    return view


def _pod_spec(spec: Mapping[str, Any], pod: Pod) -> Json:
    filled = _filled(spec, schedulerName=pod.scheduler_name, priority=pod.priority)
    for field in ("containers", "initContainers"):
        if spec.get(field):
            filled[field] = _with_requests(spec[field])
    return filled


def _with_requests(containers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the containers with a request for each limit that has none."""
    filled = []
    for container in containers:
        resources = container.get("resources") or {}
        limits, requests = resources.get("limits"), resources.get("requests") or {}
        if limits and limits.keys() - requests.keys():
            container = {**container, "resources": {**resources, "requests": {**limits, **requests}}}
        filled.append(container)
    return filled


def _filled(part: Mapping[str, Any] | None, **defaults: Any) -> Json:
    """Return `part` with the defaults of missing fields; empty defaults are left out."""
    filled = dict(part or {})
    for name, value in defaults.items():
        if filled.get(name) is None and value not in (None, ""):
            filled[name] = value
    return filled
