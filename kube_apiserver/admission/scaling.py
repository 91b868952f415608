"""Writes of a workload's replicas through its Scale, and the manager of `spec.replicas` after them.

Source: apimachinery/pkg/util/managedfields/scalehandler.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Entry = Mapping[str, Any]

REPLICAS: Mapping[str, Any] = {"f:spec": {"f:replicas": {}}}
_MANAGER = "kube-controller-manager"
_ORDER = ("operation", "time", "manager", "apiVersion", "subresource")


def scale(target: Mapping[str, Any], replicas: int) -> dict[str, Any]:
    """Return a copy of the workload with this size. Afterwards kube-controller-manager manages the field.

    An object without managed fields gets none, because its writer is unknown.
    """
    scaled = {**target, "spec": {**(target.get("spec") or {}), "replicas": replicas}}
    entries = (target.get("metadata") or {}).get("managedFields")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, Mapping) for entry in entries):
        return scaled
    # Upstream's handler sets no time for a new manager.
    entry = {
        "manager": _MANAGER,
        "operation": "Update",
        "apiVersion": target["apiVersion"],
        "fieldsType": "FieldsV1",
        "fieldsV1": REPLICAS,
        "subresource": "scale",
    }
    written = [*without_replicas(entries), entry]
    written.sort(key=lambda one: [str(one.get(name, "")) for name in _ORDER])
    return {**scaled, "metadata": {**target["metadata"], "managedFields": written}}


def without_replicas(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the managed fields of a workload without `spec.replicas`, and without entries that had nothing else."""
    left = []
    for entry in entries:
        owned = entry.get("fieldsV1") or {}
        if not isinstance(owned, Mapping):
            left.append(dict(entry))  # an import may have anything here
            continue
        fields = dict(owned)
        of_spec = fields.get("f:spec")
        if isinstance(of_spec, Mapping) and "f:replicas" in of_spec:
            fields["f:spec"] = {name: item for name, item in of_spec.items() if name != "f:replicas"}
            if not fields["f:spec"]:
                del fields["f:spec"]
        if fields:
            left.append({**entry, "fieldsV1": fields})
    return left
