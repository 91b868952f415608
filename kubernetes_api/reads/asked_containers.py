"""Which container of a pod a client asks. Source: validateContainer of pkg/registry/core/pod/strategy.go."""

from collections.abc import Mapping
from typing import Any

from kubernetes_api import errors

_PARTS = ("initContainers", "containers", "ephemeralContainers")


def must_be_there(pod: Mapping[str, Any], asked: str) -> None:
    """ApiError for one that is not there, or for none of several."""
    name, spec = pod["metadata"]["name"], pod.get("spec") or {}
    # Upstream tells them in the order in which a pod starts them.
    known = [str(each.get("name") or "") for part in _PARTS for each in spec.get(part) or ()]
    if asked and asked not in known:
        raise errors.bad_request(f"container {asked} is not valid for pod {name}")
    if not asked and len(spec.get("containers") or ()) > 1:
        told = f"a container name must be specified for pod {name}"
        raise errors.bad_request(f"{told}, choose one of: [{' '.join(known)}]")
