"""The kinds whose controllers create Pods. Without controllers such objects are stored and create none."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.kinds.storage_kind import is_custom
from kube_objects.meta import KubeObject

# Kinds of Kubernetes. Custom kinds count if they contain a Pod template.
POD_MAKERS = frozenset(
    ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job", "CronJob")
)
# Kinds from which the playground's controllers create Pods.
KINDS_WITH_PODS = POD_MAKERS | {"Arrivals"}
# The deepest Pod spec in a custom kind, such as spec.replicaSpecs.Worker.template.
_DEPTH = 6
_NOT_WORKLOADS = ("CustomResourceDefinition", "PodTemplate", "ControllerRevision")


def count_without_pods(objects: Iterable[KubeObject]) -> dict[str, int]:
    """Return the number of objects by kind that would create Pods in a real cluster, but create none here."""
    counts: Counter[str] = Counter()
    for obj in objects:
        if obj.kind in KINDS_WITH_PODS or (
            _is_custom(obj.manifest) and _has_template(obj.manifest.get("spec"), _DEPTH)
        ):
            counts[obj.kind] += 1
    return dict(sorted(counts.items()))


def format_counts(kinds: Mapping[str, int]) -> str:
    """Return a text such as `12 Deployment, 1 Job`."""
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())


def _is_custom(manifest: Mapping[str, Any]) -> bool:
    group = str(manifest.get("apiVersion") or "").partition("/")[0]
    return is_custom(group) and manifest.get("kind") not in _NOT_WORKLOADS


def _has_template(value: Any, depth: int) -> bool:
    if depth == 0 or not isinstance(value, Mapping | list):
        return False
    if isinstance(value, list):
        return any(_has_template(item, depth - 1) for item in value)
    template = value.get("template")
    spec = template.get("spec") if isinstance(template, Mapping) else None
    if isinstance(spec, Mapping) and isinstance(spec.get("containers"), list):
        return True
    return any(_has_template(item, depth - 1) for item in value.values())
