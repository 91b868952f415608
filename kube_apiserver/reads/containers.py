"""The choice of a Pod's container. Source: validateContainer of pkg/registry/core/pod/strategy.go."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission.pod_parts import CONTAINERS


def check_container(pod: Mapping[str, Any], container: str) -> None:
    """Raise ApiError if the Pod has no such container, or if it has several and none is named."""
    name, spec = pod["metadata"]["name"], pod.get("spec") or {}
    known = [str(each.get("name") or "") for part in CONTAINERS for each in spec.get(part) or ()]
    if container and container not in known:
        raise errors.bad_request(f"container {container} is not valid for pod {name}")
    if not container and len(spec.get("containers") or ()) > 1:
        detail = f"a container name must be specified for pod {name}"
        raise errors.bad_request(f"{detail}, choose one of: [{' '.join(known)}]")
