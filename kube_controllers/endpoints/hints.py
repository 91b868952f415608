"""Topology hints: the zones or Nodes whose clients should use an endpoint.

Source: staging/src/k8s.io/endpointslice/trafficdist/trafficdist.go.
"""

from collections.abc import Mapping
from typing import Any

from kube_objects.manifests import Manifest, annotations, spec

Endpoint = Mapping[str, Any]

_SAME_NODE = "PreferSameNode"
_CLOSE = ("PreferClose", "PreferSameZone", _SAME_NODE)
_MODE, _OLDER_MODE = "service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints"


def traffic_distribution(service: Manifest) -> str:
    """Return the Service's traffic distribution, or "". The annotation of topology-aware routing has precedence."""
    annotated = annotations(service).get(_OLDER_MODE, annotations(service).get(_MODE))
    wanted = spec(service).get("trafficDistribution")
    return wanted if wanted in _CLOSE and annotated not in ("Auto", "auto") else ""


def with_hints(endpoint: Endpoint, wanted: str) -> Endpoint:
    """Return the endpoint with its hints, or the same instance if it has them. An endpoint that isn't ready keeps its
    hints.
    """
    if wanted and not (endpoint.get("conditions") or {}).get("ready"):
        return endpoint
    hints: dict[str, Any] = {}
    if wanted and endpoint.get("zone"):
        hints["forZones"] = [{"name": endpoint["zone"]}]
    if wanted == _SAME_NODE and endpoint.get("nodeName"):
        hints["forNodes"] = [{"name": endpoint["nodeName"]}]
    if (endpoint.get("hints") or {}) == hints:
        return endpoint
    left = {key: value for key, value in endpoint.items() if key != "hints"}
    return {**left, "hints": hints} if hints else left
