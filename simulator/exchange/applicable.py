"""Export of objects for `kubectl apply -f`, without fields that only the API server or a controller writes.

docs/reference/file-formats.md lists what is left out, and why.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kube_objects.kinds.core.namespace import BUILT_IN
from kube_objects.kinds.kind import APPLIED_BETWEEN
from kube_objects.kinds.storage_kind import storage_kind
from kube_objects.kinds.table import KINDS

Manifest = dict[str, Any]

# Fields that the API server writes, or that would cause the object's deletion.
_METADATA = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
    # Owner uids are of another cluster, so the garbage collector would delete the object.
    "ownerReferences",
)
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_ENDED = ("Succeeded", "Failed")


def count_ended_pods(manifests: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of ended pods by phase; applying them would run them again."""
    phases = Counter(phase for manifest in manifests if (phase := _ended_phase(manifest)))
    return dict(sorted(phases.items()))


def left_out_comment(left_out: Mapping[str, int]) -> str:
    """Return a comment about pods that the file leaves out, "" if there are none."""
    if not left_out:
        return ""
    counts = ", ".join(f"{count} {phase}" for phase, count in left_out.items())
    return f"# Pods that have ended are left out, as they would run once more: {counts}.\n"


def applicable(manifests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a `List` in an order that can be applied: dependencies first, pods last.

    Ended pods are left out.
    """
    exported = [dict(manifest) for manifest in manifests if not _ended_phase(manifest)]
    items = [_cleaned(manifest) for manifest in exported if not _is_built_in(manifest)]
    known = {item["metadata"]["name"] for item in items if _kind(item) == "Namespace"}
    used = {item["metadata"].get("namespace") for item in items} - {None, *known, *BUILT_IN}
    items += [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in sorted(used)]
    items += _priority_classes(items)
    return {"apiVersion": "v1", "kind": "List", "items": sorted(items, key=_rank)}


def _kind(manifest: Mapping[str, Any]) -> str:
    """Return the kind under which the object is stored; a custom resource never counts as a built-in kind."""
    return storage_kind(manifest.get("apiVersion") or "", manifest["kind"])


def _ended_phase(manifest: Mapping[str, Any]) -> str:
    """Return the phase of an ended pod, "" for everything else."""
    phase = (manifest.get("status") or {}).get("phase") if _kind(manifest) == "Pod" else None
    return phase if phase in _ENDED else ""


def _rank(item: Mapping[str, Any]) -> int:
    kind = KINDS.get(_kind(item))
    return APPLIED_BETWEEN if kind is None else kind.applied


def _is_built_in(manifest: Mapping[str, Any]) -> bool:
    kind = KINDS.get(_kind(manifest))
    return kind is not None and kind.is_built_in(manifest["metadata"]["name"])


def _cleaned(manifest: Manifest) -> Manifest:
    metadata = {name: value for name, value in manifest["metadata"].items() if name not in _METADATA}
    annotations = {name: value for name, value in metadata.pop("annotations", {}).items() if name != _LAST_APPLIED}
    if annotations:
        metadata["annotations"] = annotations
    cleaned = {**manifest, "metadata": metadata}
    cleaned.pop("status", None)
    kind = KINDS.get(_kind(manifest))
    if kind is not None:
        kind.to_apply(cleaned, manifest)
    return cleaned


def _priority_classes(items: Iterable[Mapping[str, Any]]) -> Iterator[Manifest]:
    """Yield the PriorityClasses that `to_apply` named in Pods with a number only, which a real cluster rejects."""
    known = {item["metadata"]["name"] for item in items if _kind(item) == "PriorityClass"}
    used = {item["spec"].get("priorityClassName", "") for item in items if _kind(item) == "Pod"}
    for name in sorted(used - known):
        parts = name.removeprefix("priority-").removesuffix("-never")
        digits = parts.removeprefix("minus-")
        if name.startswith("priority-") and digits.isdigit():
            value = int(digits) * (-1 if parts.startswith("minus-") else 1)
            made: Manifest = {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": value,
            }
            yield {**made, "preemptionPolicy": "Never"} if name.endswith("-never") else made
