"""Which clients an endpoint is for: those of its zone, or of its node, as the service wants its traffic distributed.

Source: staging/src/k8s.io/endpointslice/trafficdist/trafficdist.go.
"""

from collections.abc import Mapping
from typing import Any

from kube_objects.manifests import Manifest, annotations, spec

Endpoint = Mapping[str, Any]

_SAME_NODE = "PreferSameNode"
_CLOSE = ("PreferClose", "PreferSameZone", _SAME_NODE)
_MODE, _OLDER_MODE = "service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints"


def distribution(service: Manifest) -> str:
    """What the service wants; "" if nothing of this. An annotation that wants something else has precedence."""
    given = annotations(service).get(_OLDER_MODE, annotations(service).get(_MODE))
    wanted = spec(service).get("trafficDistribution")
    return wanted if wanted in _CLOSE and given not in ("Auto", "auto") else ""


def hinted(endpoint: Endpoint, wanted: str) -> Endpoint:
    """The endpoint with the hints that it should have; the very same if it has them. One that is not ready has those
    that it had.
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
