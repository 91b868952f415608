"""Objects in the API versions that v1.20 served and today's API server no longer does."""

from collections.abc import Mapping
from typing import Any

# (apiVersion, kind) → today's apiVersion. The fields that scheduling reads are the same.
_MOVED: Mapping[tuple[str, str], str] = {
    ("policy/v1beta1", "PodDisruptionBudget"): "policy/v1",
    ("storage.k8s.io/v1beta1", "CSINode"): "storage.k8s.io/v1",
    ("storage.k8s.io/v1beta1", "CSIDriver"): "storage.k8s.io/v1",
    ("storage.k8s.io/v1beta1", "StorageClass"): "storage.k8s.io/v1",
    ("scheduling.k8s.io/v1beta1", "PriorityClass"): "scheduling.k8s.io/v1",
}


def as_served_today(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The manifest with today's apiVersion, if its own has been removed since."""
    moved = _MOVED.get((str(manifest.get("apiVersion")), str(manifest.get("kind"))))
    return manifest if moved is None else {**manifest, "apiVersion": moved}
